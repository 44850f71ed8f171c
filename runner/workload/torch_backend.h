#pragma once

#include <memory>

#include "common/base/clock.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

/// LibTorch itself. `clock` outlives it. One in a process.
std::unique_ptr<Backend> MakeTorchBackend(Clock& clock);

}  // namespace torchsoak::runner
