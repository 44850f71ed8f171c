#pragma once
// A backend whose device counts what the test says and whose steps do what the test says.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runner/workload/backend.h"

namespace torchsoak::runner {

class FakeDevice final : public Device {
 public:
  std::string type() const override { return "cpu"; }
  const std::vector<DeviceFacts>& accelerators() const override { return facts; }
  MemoryUse Memory() override { return memory; }
  void ResetPeak() override { ++peak_resets; }
  void Synchronize() override {}

  std::vector<DeviceFacts> facts;
  MemoryUse memory{35, 1000, 2000, 3000};
  int peak_resets = 0;
};

/// What a step does; counts from 0, warm-up included.
using FakeStep = std::function<Expected<StepReport>(std::int64_t)>;

class FakeWorkload final : public Workload {
 public:
  explicit FakeWorkload(FakeStep step) : step_(std::move(step)) {}
  Json Describe() const override { return {{"kind", "Fake"}}; }
  Status Prepare() override { return prepared; }
  void BeginMeasuring() override { ++begun; }
  Expected<StepReport> Step(std::int64_t) override { return step_(count_++); }

  Expected<std::vector<Proof>> ProveChecks() override { return proofs; }

  Status prepared;
  int begun = 0;
  std::vector<Proof> proofs = {{"WrongResult", "a result made up", true}};

 private:
  FakeStep step_;
  std::int64_t count_ = 0;
};

/// A step of 10 samples with a falling loss.
inline StepReport GoodStep(std::int64_t i) {
  StepReport report;
  report.work = 10;
  report.loss = 1.0 / static_cast<double>(i + 1);
  return report;
}

class FakeBackend final : public Backend {
 public:
  void Configure(int, std::uint64_t) override {}
  int VisibleAccelerators() override { return visible; }
  std::string WhyNoAccelerator() override { return "there is no driver"; }
  Json Versions() override { return {{"libtorch", "2.11.0"}}; }
  std::string LibtorchVersion() override { return "2.11.0"; }
  std::string DriverVersion() override { return ""; }

  Expected<std::unique_ptr<Device>> Open(int accelerators) override {
    if (!open_error.empty()) return Fail(ErrorCode::kUnavailable, open_error);
    auto device = std::make_unique<FakeDevice>();
    for (int i = 0; i < accelerators; ++i) {
      device->facts.push_back({"Fake GPU", "GPU-" + std::to_string(i), 1 << 30});
    }
    return device;
  }

  /// Counted by FakeDevice while `counting`.
  Expected<std::shared_ptr<void>> Hold(Device& device, std::int64_t bytes) override {
    auto& memory = static_cast<FakeDevice&>(device).memory;
    if (!counting) return std::make_shared<int>();
    memory.objects += 1;
    memory.requested += bytes;
    return std::shared_ptr<void>(nullptr, [&memory, bytes](void*) {
      memory.objects -= 1;
      memory.requested -= bytes;
    });
  }

  contract::Gate CheckProduct(Device&, std::int64_t n, const std::function<void()>&) override {
    product_size = n;
    return product;
  }

  Expected<std::unique_ptr<Workload>> Make(const contract::Spec& spec, Device&) override {
    if (spec.mode == contract::Mode::kPreflight) return nullptr;
    auto workload = std::make_unique<FakeWorkload>(step);
    workload->prepared = prepared;
    return workload;
  }

  int visible = 0;
  bool counting = true;
  std::string open_error;
  contract::Gate product{"Gemm", contract::GateResult::kPassed, false, "90 GFLOP/s", "", ""};
  std::int64_t product_size = 0;
  Status prepared;
  FakeStep step = GoodStep;
};

inline contract::Spec FakeTraining(std::int64_t iterations) {
  contract::Spec spec;
  spec.mode = contract::Mode::kTraining;
  spec.gpu.per_pod = 0;
  spec.training.checks = {contract::Check::kFiniteLoss};
  spec.max_iterations = iterations;
  spec.timeouts.run = std::chrono::minutes(5);
  spec.timeouts.stall = std::chrono::minutes(1);
  return spec;
}

}  // namespace torchsoak::runner
