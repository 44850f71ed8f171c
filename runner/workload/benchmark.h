#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

/// Times a model in blocks of runs (block_timer.h). A step is one block: its runs one after the
/// other on one batch, the device awaited once at its end, as torch.utils.benchmark does. It ends
/// by itself.
///
/// Several devices run at the same time, each a copy of its own.
std::unique_ptr<Workload> MakeBenchmark(const contract::Spec& spec, Device& device,
                                        std::vector<std::string> device_names, int threads,
                                        const Clock& clock);

}  // namespace torchsoak::runner
