#include "runner/device/cpu_device.h"

#include "runner/device/counting_allocator.h"

namespace torchsoak::runner {
namespace {

class CpuDevice final : public Device {
 public:
  std::string type() const override { return "cpu"; }
  const std::vector<DeviceFacts>& accelerators() const override { return none_; }

  MemoryUse Memory() override {
    const AllocationCounts counts = CpuAllocations();
    return {counts.objects, counts.bytes, counts.bytes, counts.peak_bytes, counts.born};
  }

  void ResetPeak() override { ResetCpuPeak(); }
  void Synchronize() override {}  // CPU operators are done when they return

 private:
  std::vector<DeviceFacts> none_;
};

}  // namespace

std::unique_ptr<Device> MakeCpuDevice() { return std::make_unique<CpuDevice>(); }

}  // namespace torchsoak::runner
