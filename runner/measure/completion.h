#pragma once
// How much of what was asked has been measured.

#include <optional>

#include "common/contract/spec.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

/// Share of the limit that is nearest, 0 to 1; nothing for a spec that has none.
std::optional<double> Completion(const contract::Spec& spec, const Measurements& measured);

}  // namespace torchsoak::runner
