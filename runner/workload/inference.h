#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

/// Requests to a model in this process. Each stream is a closed loop: it asks again as soon as it
/// is answered. A latency is from the call to the moment the answer is complete on the device.
///
/// A step is a round in which every stream makes the same number of requests, so that between two
/// steps nothing is in flight and memory can be compared. One stream: a round is one request, made
/// by the measuring thread. More: each has a thread, and a round takes about 100 ms.
/// Requests that throw, or answer with NaN or infinity, count as errors; the run goes on.
std::unique_ptr<Workload> MakeInference(const contract::Spec& spec, Device& device,
                                        std::vector<std::string> device_names, int threads,
                                        const Clock& clock);

}  // namespace torchsoak::runner
