#pragma once

#include <memory>

#include "runner/device/device.h"

namespace torchsoak::runner {

/// The CPU. The counting allocator must have been installed.
std::unique_ptr<Device> MakeCpuDevice();

}  // namespace torchsoak::runner
