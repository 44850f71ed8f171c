#pragma once
// The canaries by kind, for canaries.cc and tests.

#include <string>
#include <utility>
#include <vector>

#include "runner/canary/canaries.h"

namespace torchsoak::runner {

/// "ExactLeak": one block more stays alive after each of some steps.
Canary ShowLeakedBlocks(const CanaryParts& parts);

/// "Growth": memory is touched, descriptors opened and threads started little by little, over what
/// the curve is told were 20 minutes. Up to three times: it is the only one that others can
/// disturb.
Canary ShowGrowingProcess(const CanaryParts& parts);

/// The checks of what a mode computes, those that this spec has: "FiniteLoss", "LossDecreases",
/// "FiniteGradients", "Answers", "Thresholds", "Drift", "Percentiles".
std::vector<Canary> ShowWrongNumbers(const contract::Spec& spec);

/// "WrongResult", where a mode checks what it computes: a result is spoilt on the device, and the
/// gate is shown one that was found.
std::vector<Canary> ShowWrongResults(const CanaryParts& parts);

/// "Stall": the watchdog looks at a run in which nothing finishes any more.
Canary ShowStall(const contract::Spec& spec);

inline Canary Proven(std::string detector, std::string detail) {
  return {std::move(detector), Canary::State::kProven, std::move(detail)};
}
inline Canary Skipped(std::string detector, std::string why) {
  return {std::move(detector), Canary::State::kSkipped, std::move(why)};
}
inline Canary Dead(std::string detector, std::string detail) {
  return {std::move(detector), Canary::State::kDead, std::move(detail)};
}

}  // namespace torchsoak::runner
