#pragma once
// GPUs, through LibTorch's device-agnostic API: no CUDA headers are needed, and ROCm comes along.

#include <memory>
#include <string>

#include "common/base/error.h"
#include "runner/device/device.h"

namespace torchsoak::runner {

/// Accelerators that this process sees; 0 when there are none or they cannot be asked.
int VisibleAcceleratorCount();

/// The first `count` of them. Touches each, so that a driver that is too old or a device that is
/// broken shows here and not in the middle of a test. kUnavailable explains in words.
Expected<std::unique_ptr<Device>> OpenAccelerators(int count);

/// What an exception's text means for the person who runs the test: "the driver is older than …".
/// The text itself when it is not a known one.
std::string ExplainDeviceError(const std::string& what);

}  // namespace torchsoak::runner
