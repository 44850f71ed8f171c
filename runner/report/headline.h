#pragma once
// The few numbers that a person looks at first.

#include <string>
#include <vector>

#include "common/contract/metrics.h"
#include "common/contract/spec.h"

namespace torchsoak::runner {

/// "throughput 2480/s", "step time p50 21.3ms, p99 30ms", … one each; undefined ones are left out.
std::vector<std::string> Headlines(const std::vector<contract::MetricValue>& metrics);

}  // namespace torchsoak::runner
