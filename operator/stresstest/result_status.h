#pragma once
// From a run's result to the parts of the status that show it. Pure.

#include "common/contract/result.h"
#include "operator/stresstest/observed.h"
#include "operator/stresstest/status.h"

namespace torchsoak::stresstest {

/// Fills metrics, thresholds, leaks, environment, GPUs and headline from what could be read.
void ShowResult(const contract::DecodedResult& result, const TestView& test, const PodView* pod,
                TestStatus& status);

/// One run's row of nodes.json, the documented format for other controllers: node, devices,
/// verdict, reason, message, metrics, image digest and times.
Json NodeRow(const contract::RunResult& result, const contract::Outcome& outcome,
             const PodView& pod);

}  // namespace torchsoak::stresstest
