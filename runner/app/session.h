#pragma once
// One run from start to exit code: preflight, model, soak, verdict, report.

#include <functional>
#include <memory>

#include "common/base/clock.h"
#include "runner/app/delivery.h"
#include "runner/report/report_document.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

struct SessionParts {
  Clock& clock;
  Backend& backend;
  Delivery& delivery;
  std::function<int()> stops;     ///< SIGTERM and SIGINT so far
  std::function<void(int)> exit;  ///< ends the process at once (std::_Exit); tests may return
  bool enforce_run_timeout = false;
};

/// Runs `facts` to its end on the calling thread and returns the exit code. A hung run does not
/// return: the supervisor delivers what there is and calls `exit`.
int RunSession(const RunFacts& facts, const SessionParts& parts);

}  // namespace torchsoak::runner
