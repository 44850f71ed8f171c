#pragma once
// What the leak detectors say about a run: for the status, the report and the gates. Pure.

#include <optional>
#include <string>
#include <vector>

#include "common/contract/result.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

struct LeakFinding {
  contract::Leak leak;
  std::string explanation;       ///< one sentence, with numbers
  std::int64_t samples = 0;      ///< that it looked at
  std::optional<Growth> growth;  ///< of the statistical test; nothing for the exact one
  std::optional<StepPart> born;  ///< of an exact leak: the part of the step that allocates it
};

/// The exact test of live allocations first, then the statistical test of each curve.
std::vector<LeakFinding> FindLeaks(const Measurements& measured);

/// "ExactLeak" from the first finding, "Growth" from the worst of the others. A leak fails, a
/// suspicion warns, too little data is NotEvaluated.
std::vector<contract::Gate> LeakGates(const std::vector<LeakFinding>& findings);

}  // namespace torchsoak::runner
