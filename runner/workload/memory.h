#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/pattern/device_region.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

/// Where a device's memory comes from; tests bring some that forgets.
using RegionMaker = std::function<std::unique_ptr<DeviceRegion>(std::optional<std::int64_t> bytes,
                                                                const std::string& device)>;

/// One pattern after the other goes through the memory of every device at once. A step takes the
/// next slot (runner/pattern/device_region.h): sees whether it still holds what was written a whole
/// pass ago, writes the next pattern into one half and copies it into the other. Only the copy is
/// timed.
std::unique_ptr<Workload> MakeMemory(const contract::Spec& spec, Device& device,
                                     std::vector<std::string> device_names, const Clock& clock,
                                     RegionMaker maker = MakeDeviceRegion);

}  // namespace torchsoak::runner
