#pragma once
// Metrics against the histogram, the curves and the totals of the same report.

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/contract/modes.h"

namespace torchsoak::runner {

/// How many metrics could be recomputed; those that differ are added to `problems`.
int CheckNumbers(const Json& report, contract::Mode mode, std::vector<std::string>& problems);

}  // namespace torchsoak::runner
