#pragma once
// The built-in checks of what a mode computed: finite and falling losses, gradients that fit their
// type, requests that were answered, results that are right, blocks that agree. Pure.

#include <vector>

#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

/// Whether runs of this mode compare what they compute with what is right.
bool ChecksResults(contract::Mode mode);

/// "WrongResult" of such a run: fails when a result was wrong; while any could not be compared, or
/// there is more to compare, it is not evaluated, and the run cannot pass.
contract::Gate WrongResultGate(const Checks& checks);

/// "Timing" of a benchmark: warns when its blocks differ much; not evaluated, and so no pass, when
/// AdaptiveAutorange gave up.
contract::Gate TimingGate(const BlockSpread& blocks);

/// All of them. `measured` may be null: nothing was measured.
std::vector<contract::Gate> ModeGates(const Measurements* measured, const contract::Spec& spec);

}  // namespace torchsoak::runner
