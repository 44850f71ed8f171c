#pragma once
// Before it measures, a run shows each of its detectors a fault, in the form in which it would meet
// it, and asks whether it was seen. A detector that did not see it proves nothing with its silence:
// such a run ends as Error/PreflightFailed instead of passing.
//
// A canary goes through the sampler, the series, the detector and the gate that the run itself
// uses; only time is made up, where hours would have to pass. Its effect is ten times what the
// detector calls a fault. All of them together take less than a second and leave nothing behind.
//
// One file, one kind of fault. Used by the measuring thread.

#include <functional>
#include <vector>

#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/measure/process_use.h"
#include "runner/measure/snapshot.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

struct CanaryParts {
  const contract::Spec& spec;
  Device& device;
  Backend& backend;
  Workload* workload = nullptr;  ///< prepared; the checks of its own are shown a fault, too
  std::function<ProcessUse()> read_process = ReadProcessUse;
  std::function<void()> beat;  ///< a sign of life, called often
};

/// One result a detector that a run of this mode has, in a fixed order.
std::vector<Canary> RunCanaries(const CanaryParts& parts);

/// The gate "Canaries": Failed when one is dead, with its name.
contract::Gate CanaryGate(const std::vector<Canary>& canaries);

}  // namespace torchsoak::runner
