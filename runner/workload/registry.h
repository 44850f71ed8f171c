#pragma once
// Which workload belongs to which mode.

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

struct WorkloadParts {
  const contract::Spec& spec;
  Device& device;
  std::vector<std::string> device_names;  ///< "cpu", or "cuda:0", "cuda:1", …
  int threads = 1;
  Clock& clock;  ///< what a workload waits with: never by itself
};

/// nullptr for Preflight, which has no workload.
std::unique_ptr<Workload> MakeWorkload(const WorkloadParts& parts);

}  // namespace torchsoak::runner
