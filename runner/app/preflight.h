#pragma once
// The health check before every run, and all there is to a Preflight test: each item a gate that is
// Passed, Warned, Failed, Recorded, or NotEvaluated with the reason.

#include <memory>
#include <optional>
#include <vector>

#include "common/contract/spec.h"
#include "runner/app/recorder.h"
#include "runner/device/device.h"
#include "runner/report/environment.h"
#include "runner/workload/backend.h"

namespace torchsoak::runner {

/// Opens the devices and checks them. Gates, place and device facts go into the recorder's draft;
/// when nothing can run there, so does the outcome, and the result is empty.
std::unique_ptr<Device> RunPreflight(const contract::Spec& spec, const Environment& environment,
                                     Backend& backend, Recorder& recorder);

/// What the environment says, without a device: SharedMemory, MemoryLimit, CpuLimit, Threads.
std::vector<contract::Gate> EnvironmentGates(const Environment& environment);

/// DeviceCount: as many accelerators as the spec asks for; 0 asks for a CPU run, whatever is there.
/// `why_none`: Backend::WhyNoAccelerator.
contract::Gate DeviceCountGate(std::int64_t asked, int visible, const std::string& why_none);

}  // namespace torchsoak::runner
