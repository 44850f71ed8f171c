#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/product/device_product.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

/// Where a device's product comes from; tests bring sick ones.
using ProductMaker = std::function<std::unique_ptr<DeviceProduct>(
    const contract::GemmSpec& gemm, std::uint64_t seed, const std::string& device)>;

/// The same product of two matrices on every device at once, over and over; a step is one on each.
/// Only the products are timed. After each, the bits of every result are compared with those of the
/// golden one (runner/product/golden.h).
std::unique_ptr<Workload> MakeGemm(const contract::Spec& spec, Device& device,
                                   std::vector<std::string> device_names, const Clock& clock,
                                   ProductMaker maker = MakeDeviceProduct);

}  // namespace torchsoak::runner
