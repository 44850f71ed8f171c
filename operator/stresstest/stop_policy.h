#pragma once
// When the operator ends a run: abort, deletion, suspend and the five clocks, one policy, one file.
// Pure.
//
// Each clock starts where the step before it ended, at a time that Kubernetes or our own status
// recorded, so that a restart of the operator moves none of them. Time in a queue (the Job is
// suspended by somebody else) starts no clock but `total`.

#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

struct Stop {
  std::string reason;  ///< a contract reason, or "Suspended"
  std::string detail;  ///< the sentence for the status
};

struct StopAdvice {
  std::optional<Stop> stop;
  std::optional<WallTime> next;  ///< the earliest clock that is still running
};

/// Why nobody wants the test to go on: spec.abort, or its deletion. Outranks a suspend.
std::optional<Stop> Unwanted(const Observed& observed, const contract::Spec& spec);

/// `job` and `pod` are those of the current attempt, nullptr when there is none yet.
StopAdvice AdviseStop(const Observed& observed, const contract::Spec& spec, const JobView* job,
                      const PodView* pod);

/// When the run of a started `pod` began, as `timeouts.run` counts it. The node's clock says so; it
/// may be wrong: for a time before the pod had a node, or one to come, now is taken. The condition
/// Running keeps the answer of the first look.
WallTime RunBegan(const Observed& observed, const PodView& pod);

/// True for a waiting reason that speaks of the image.
bool IsImageProblem(const std::string& waiting_reason);

}  // namespace torchsoak::stresstest
