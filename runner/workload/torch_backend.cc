#include "runner/workload/torch_backend.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/ops/empty.h>
#include <torch/version.h>

#include <exception>

#include "common/base/units.h"
#include "runner/device/accelerator_device.h"
#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"
#include "runner/device/cuda_driver.h"
#include "runner/device/threads.h"
#include "runner/product/product_check.h"
#include "runner/workload/errors.h"
#include "runner/workload/registry.h"
#include "runner/workload/seed.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;

std::vector<std::string> DeviceNames(const Device& device) {
  if (device.accelerators().empty()) return {"cpu"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < device.accelerators().size(); ++i) {
    names.push_back(device.type() + ":" + std::to_string(i));
  }
  return names;
}

class TorchBackend final : public Backend {
 public:
  explicit TorchBackend(Clock& clock) : clock_(clock) {}

  void Configure(int threads, std::uint64_t seed) override {
    threads_ = threads;
    SetComputeThreads(threads);
    SeedEverything(seed);
  }

  int VisibleAccelerators() override { return VisibleAcceleratorCount(); }
  std::string WhyNoAccelerator() override;
  std::string LibtorchVersion() override { return TORCH_VERSION; }
  std::string DriverVersion() override { return CudaDriverVersion(); }
  Json Versions() override;

  Expected<std::unique_ptr<Device>> Open(int accelerators) override {
    InstallCountingAllocator();
    if (accelerators == 0) return MakeCpuDevice();
    return OpenAccelerators(accelerators);
  }

  Expected<std::shared_ptr<void>> Hold(Device& device, std::int64_t bytes) override;
  Gate CheckProduct(Device& device, std::int64_t n, const std::function<void()>& beat) override;

  Expected<std::unique_ptr<Workload>> Make(const contract::Spec& spec, Device& device) override {
    return MakeWorkload({spec, device, DeviceNames(device), threads_, clock_});
  }

 private:
  Clock& clock_;
  int threads_ = 1;
};

std::string TorchBackend::WhyNoAccelerator() {
  if (VisibleAcceleratorCount() > 0) return "";
  if (!at::detail::getCUDAHooks().hasCUDART()) return "this LibTorch is built without CUDA";
  return CudaDriverVersion().empty() ? "no GPU driver (libcuda.so.1) is found" : "";
}

Json TorchBackend::Versions() {
  Json versions = {{"libtorch", TORCH_VERSION},
                   {"build", at::show_config()},
                   {"cpuCapability", at::get_cpu_capability()}};
  if (VisibleAcceleratorCount() == 0) return versions;
  try {
    versions["cudaRuntime"] = at::detail::getCUDAHooks().versionCUDART();
    versions["cudnn"] = at::detail::getCUDAHooks().versionCuDNN();
  } catch (const std::exception&) {
    // Not a CUDA build, or one without cuDNN: then there is nothing to tell.
  }
  return versions;
}

Expected<std::shared_ptr<void>> TorchBackend::Hold(Device& device, std::int64_t bytes) {
  try {
    auto blocks = std::make_shared<std::vector<at::Tensor>>();
    for (const std::string& name : DeviceNames(device)) {
      blocks->push_back(
          at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(c10::Device(name))));
    }
    return blocks;
  } catch (const std::exception& e) {
    return tl::unexpected(ErrorFrom(e));
  }
}

Gate TorchBackend::CheckProduct(Device& device, std::int64_t n, const std::function<void()>& beat) {
  Gate gate{"Gemm", GateResult::kPassed, false, "", "", ""};
  try {
    for (const std::string& name : DeviceNames(device)) {
      const ProductCheck check = CheckProductOn(name, n, clock_, beat);
      gate.observed = FormatValue(check.gflops, Unit::kNone) + " GFLOP/s";
      if (!check.proven) {
        gate.result = GateResult::kNotEvaluated;
        gate.message = "the comparison did not see a wrong element that it was shown";
        return gate;
      }
      if (!check.wrong) continue;
      gate.result = GateResult::kFailed;
      gate.message =
          *check.wrong + " (" + name + ", " + std::to_string(n) + " x " + std::to_string(n) + ")";
      return gate;
    }
  } catch (const std::exception& e) {
    gate.result = GateResult::kNotEvaluated;
    gate.message = ExplainDeviceError(ErrorFrom(e).message);
  }
  return gate;
}

}  // namespace

void SeedEverything(std::uint64_t seed) { at::manual_seed(seed); }

std::unique_ptr<Backend> MakeTorchBackend(Clock& clock) {
  return std::make_unique<TorchBackend>(clock);
}

}  // namespace torchsoak::runner
