#pragma once
// What the drift detector says about a run: for the report and the gate. Pure.

#include <optional>

#include "common/base/json.h"
#include "common/base/units.h"
#include "common/contract/result.h"
#include "runner/detect/drift.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

/// Nothing for a run whose mode has no rate.
std::optional<Drift> FindDriftOf(const Measurements& measured);

/// "Drift": warned when the throughput fell by 3 % or more, with the place and both levels. Never a
/// failure: it is a comparison of the run with itself; a threshold says what is enough.
/// `rate`: what the levels are in.
contract::Gate DriftGate(const Drift& drift, Unit rate = Unit::kPerSecond);

/// For report.json.
Json ToJson(const Drift& drift);

}  // namespace torchsoak::runner
