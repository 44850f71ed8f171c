#pragma once
// Names and UUIDs of GPUs from the CUDA driver, opened at run time: no CUDA headers, and nothing
// happens on a machine without a driver. Numbers are the CUDA runtime's own, whatever the
// environment variables that choose devices look like, and a MIG slice gives its own UUID.

#include <string>

#include "runner/device/device.h"

namespace torchsoak::runner {

/// Name and UUID of visible device `index`; empty strings when they cannot be had.
DeviceFacts CudaFacts(int index);

/// "580.65.06" from the kernel module, else the driver's CUDA version "CUDA 13.0", else "".
std::string CudaDriverVersion();

}  // namespace torchsoak::runner
