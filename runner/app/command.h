#pragma once

#include <functional>
#include <string>

#include "common/base/clock.h"
#include "runner/report/environment.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

/// File descriptors of standard output and standard error.
struct StandardStreams {
  int out = 1;
  int err = 2;
};

/// What every command that runs a soak is handed by main.
struct CommandContext {
  Clock& clock;
  Backend& backend;
  GetEnv env;
  std::function<int()> stops;     ///< SIGTERM and SIGINT so far
  std::function<void(int)> exit;  ///< ends the process at once
  Json malloc;                    ///< what SetMallocThresholds did
  StandardStreams streams;
};

}  // namespace torchsoak::runner
