#include "runner/device/accelerator_device.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/ops/ones.h>
#include <c10/core/DeviceType.h>

#include <array>
#include <exception>
#include <utility>

#include "runner/device/cuda_driver.h"

namespace torchsoak::runner {
namespace {

class AcceleratorDevice final : public Device {
 public:
  AcceleratorDevice(std::string type, std::vector<DeviceFacts> facts)
      : type_(std::move(type)), facts_(std::move(facts)) {}

  std::string type() const override { return type_; }
  const std::vector<DeviceFacts>& accelerators() const override { return facts_; }

  MemoryUse Memory() override {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    MemoryUse use;
    for (c10::DeviceIndex i = 0; i < Count(); ++i) {
      const auto stats = at::accelerator::getDeviceStats(i);
      use.objects += stats.allocation[kAll].current;
      use.requested += stats.requested_bytes[kAll].current;
      use.allocated += stats.allocated_bytes[kAll].current;
      use.peak += stats.allocated_bytes[kAll].peak;
    }
    return use;
  }

  void ResetPeak() override {
    for (c10::DeviceIndex i = 0; i < Count(); ++i) at::accelerator::resetPeakStats(i);
  }

  void Synchronize() override {
    for (c10::DeviceIndex i = 0; i < Count(); ++i) at::accelerator::synchronizeDevice(i);
  }

 private:
  c10::DeviceIndex Count() const { return static_cast<c10::DeviceIndex>(facts_.size()); }

  std::string type_;
  std::vector<DeviceFacts> facts_;
};

struct Known {
  const char* text;
  const char* meaning;
};
constexpr std::array<Known, 6> kKnown = {{
    {"driver version is insufficient",
     "the NVIDIA driver is older than this LibTorch's CUDA needs: update it, or use an image with "
     "an older CUDA"},
    {"no kernel image is available",
     "this LibTorch has no code for this GPU's compute capability: use an image built for it"},
    {"system not yet initialized",
     "the GPUs' fabric is not up (error 803): is nvidia-fabricmanager running on the node?"},
    {"forward compatibility was attempted",
     "driver and CUDA libraries do not fit (error 804): this GPU has no forward compatibility"},
    {"out of memory", "the GPU has no memory left: is another process using it?"},
    {"uncorrectable ECC error", "the GPU reports an uncorrectable memory error"},
}};

DeviceFacts FactsOf(c10::DeviceIndex index, const std::string& type) {
  DeviceFacts facts;
  if (type == "cuda") facts = CudaFacts(index);
  // The runtime's total is the slice's own on a partitioned GPU, not its parent's.
  facts.total_memory = static_cast<std::int64_t>(at::accelerator::getMemoryInfo(index).second);
  if (facts.name.empty()) facts.name = type;
  return facts;
}

}  // namespace

int VisibleAcceleratorCount() {
  try {
    return at::accelerator::deviceCount();
  } catch (const std::exception&) {
    return 0;
  }
}

std::string ExplainDeviceError(const std::string& what) {
  for (const Known& known : kKnown) {
    if (what.find(known.text) != std::string::npos) return known.meaning;
  }
  return what.substr(0, what.find('\n'));
}

Expected<std::unique_ptr<Device>> OpenAccelerators(int count) {
  try {
    const c10::DeviceType kind = at::accelerator::getAccelerator(true).value();
    const std::string type = c10::DeviceTypeName(kind, /*lower_case=*/true);
    std::vector<DeviceFacts> facts;
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<c10::DeviceIndex>(i);
      at::ones({1}, at::TensorOptions().device(c10::Device(kind, index)));
      at::accelerator::synchronizeDevice(index);
      facts.push_back(FactsOf(index, type));
    }
    at::accelerator::setDeviceIndex(0);
    return std::make_unique<AcceleratorDevice>(type, std::move(facts));
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kUnavailable, ExplainDeviceError(e.what()));
  }
}

}  // namespace torchsoak::runner
