#pragma once

#include <functional>
#include <string>

#include "common/base/clock.h"
#include "runner/report/environment.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

/// What every command is handed by main.
struct CommandContext {
  Clock& clock;
  Backend& backend;
  GetEnv env;
  std::function<int()> stops;     ///< SIGTERM and SIGINT so far
  std::function<void(int)> exit;  ///< ends the process at once
  Json malloc;                    ///< what SetMallocThresholds did
  int out = 1;                    ///< file descriptor of standard output
  int err = 2;
};

}  // namespace torchsoak::runner
