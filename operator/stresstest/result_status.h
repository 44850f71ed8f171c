#pragma once
// From a run's result to the parts of the status that show it. Pure.

#include <string>
#include <string_view>

#include "common/contract/result.h"
#include "operator/stresstest/observed.h"
#include "operator/stresstest/status.h"

namespace torchsoak::stresstest {

/// A result in a few words: the first gate that failed, "p99=31ms (<= 25ms)"; else the metric that
/// sums up the mode, "2480 samples/s" or "stepTime 12ms"; for a mode without one ("") its
/// gates, "7 checks ok" or "7 checks, warned: SharedMemory".
std::string Headline(const contract::RunResult& result, std::string_view sums_up);

/// Fills metrics, thresholds, leaks, environment, GPUs and headline from what could be read.
void ShowResult(const contract::DecodedResult& result, const TestView& test, const PodView* pod,
                TestStatus& status);

/// One run's row of nodes.json, the documented format for other controllers: node, devices,
/// verdict, reason, message, metrics, image digest and times.
Json NodeRow(const contract::RunResult& result, const contract::Outcome& outcome,
             const PodView& pod);

}  // namespace torchsoak::stresstest
