#pragma once
// A benchmark's statistics against its own block times.

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/contract/spec.h"
#include "runner/measure/timed_blocks.h"

namespace torchsoak::runner {

/// What the gate "Timing" is to look at, from the block times where they are there. What differs
/// from what the report says of them is added to `problems`.
BlockSpread CheckBlocks(const Json& report, const contract::TimerSpec& timer,
                        std::vector<std::string>& problems);

}  // namespace torchsoak::runner
