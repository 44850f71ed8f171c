#pragma once
// The built-in checks of what a mode computed: finite and falling losses, gradients that fit their
// type, requests that were answered. Pure.

#include <vector>

#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

/// `measured` may be null: nothing was measured.
std::vector<contract::Gate> ModeGates(const Measurements* measured, const contract::Spec& spec);

}  // namespace torchsoak::runner
