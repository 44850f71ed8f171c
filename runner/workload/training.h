#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

/// What the usual PyTorch training script does: batches of synthetic data, forward, cross entropy,
/// backward, optimizer step, gradients dropped. The last batch of an epoch may be smaller.
///
/// With several devices ("cuda:0", "cuda:1") each trains a copy of its own at the same time; they
/// do not exchange gradients.
std::unique_ptr<Workload> MakeTraining(const contract::Spec& spec, Device& device,
                                       std::vector<std::string> device_names);

}  // namespace torchsoak::runner
