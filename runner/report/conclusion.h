#pragma once
// From a snapshot to the result of a run: pure, so that a normal end, SIGTERM, a stall and a run
// timeout are judged by the same rules.

#include <string>

#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

/// Gates of the snapshot, then the checks of the mode, then the spec's thresholds.
std::vector<contract::Gate> AllGates(const Snapshot& snapshot, const contract::Spec& spec);

/// The measured steps that a Pass of this spec needs at least.
std::int64_t LeastSteps(const contract::Spec& spec);

/// The final result, without the report reference. `node` is "" outside of a cluster.
contract::RunResult ConcludeRun(const contract::RunSpec& run, const contract::Spec& spec,
                                const Snapshot& snapshot, const End& end, const std::string& node);

/// What a killed run leaves behind: the numbers so far, without a verdict.
contract::RunResult CheckpointOf(const contract::RunSpec& run, const contract::Spec& spec,
                                 const Snapshot& snapshot);

}  // namespace torchsoak::runner
