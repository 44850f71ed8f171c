#pragma once
// Everything the runner wants from LibTorch, behind one door. The real one is made by
// MakeTorchBackend (torch_backend.h); tests bring a fake.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

class Backend {
 public:
  virtual ~Backend() = default;

  /// Before anything else: the counting allocator and the number of threads.
  virtual void Configure(int threads, std::uint64_t seed) = 0;

  /// How many accelerators this process sees.
  virtual int VisibleAccelerators() = 0;

  /// Why it sees none: "this LibTorch is built without CUDA"; "" when that is not known.
  virtual std::string WhyNoAccelerator() = 0;

  /// {"libtorch": "2.11.0", …}: what is linked and loaded, for the report.
  virtual Json Versions() = 0;
  virtual std::string LibtorchVersion() = 0;
  virtual std::string DriverVersion() = 0;  ///< "" when there is none

  /// The CPU for 0 accelerators, else the first `accelerators` of them.
  virtual Expected<std::unique_ptr<Device>> Open(int accelerators) = 0;

  /// A block of `bytes` on each device of the run, from the allocator that Device::Memory counts,
  /// freed with the last copy of the result. kTooLarge: out of memory.
  virtual Expected<std::shared_ptr<void>> Hold(Device& device, std::int64_t bytes) = 0;

  /// An n × n product on every device against a reference: the gate "Gemm". Proves first that it
  /// sees a wrong element. `beat` is called when
  /// something was finished.
  virtual contract::Gate CheckProduct(Device& device, std::int64_t n,
                                      const std::function<void()>& beat) = 0;

  /// The mode's workload; nullptr for a mode that is over after the preflight.
  virtual Expected<std::unique_ptr<Workload>> Make(const contract::Spec& spec, Device& device) = 0;
};

}  // namespace torchsoak::runner
