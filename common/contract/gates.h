#pragma once
// From numbers to a verdict: pure, the same in a pod, on a laptop and when a report is verified.

#include <cstdint>
#include <string>
#include <vector>

#include "common/contract/result.h"
#include "common/contract/spec.h"

namespace torchsoak::contract {

/// Evaluates one threshold against the measured values. A missing or undefined value gives
/// NotEvaluated; P90 and higher with fewer than SamplesNeeded samples too, saying how many more.
Gate EvaluateThreshold(const Threshold& threshold, const std::vector<MetricValue>& metrics);

/// What a finished run amounts to.
struct Evidence {
  std::int64_t steps = 0;       ///< measured steps or requests
  std::int64_t failed = 0;      ///< of these, requests without an answer: no evidence of a Pass
  bool partial = false;         ///< ended early, by SIGTERM or a limit
  bool stalled = false;         ///< the watchdog ended it
  std::string stall_detail;     ///< "step 17 of phase measure made no progress for 10s"
  std::string where;            ///< " (on node-1, GPU-3f0c)": ends sentences; may be ""
  std::int64_t min_steps = 20;  ///< least measured steps for a Pass (preflight: 0)
};

/// The verdict in the contract's order: stalled (Failed/Stalled; Error/StartupTimeout when no step
/// was measured), then a failed gate (NonFiniteLoss, WrongResult,
/// LeakFound before ThresholdBreached), then a partial run
/// (Inconclusive/PodDeleted: who stopped it and why is known outside of the run), then a user gate
/// that was not evaluated or too few steps (Inconclusive/TooFewSamples), else Passed. The sentence
/// names gate, number and limit:
/// "step-p99: training.stepTime P99 171.4ms > 130ms (on gpu-node-17)". Built-in gates are
/// named "FiniteLoss", "FiniteGradients", "ExactLeak", "DeviceCount", "Gemm", …
Outcome Conclude(const std::vector<Gate>& gates, const Evidence& evidence);

}  // namespace torchsoak::contract
