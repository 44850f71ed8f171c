#include "runner/workload/benchmark.h"

#include <exception>
#include <utility>

#include "runner/device/backend_flags.h"
#include "runner/device/threads.h"
#include "runner/workload/block_timer.h"
#include "runner/workload/errors.h"
#include "runner/workload/seed.h"
#include "runner/workload/timed_model.h"

namespace torchsoak::runner {
namespace {

class Benchmark final : public Workload {
 public:
  Benchmark(const contract::Spec& spec, Device& device, std::vector<std::string> names, int threads,
            const Clock& clock)
      : spec_(spec),
        device_(device),
        names_(std::move(names)),
        threads_(static_cast<int>(spec.benchmark.backend.threads.value_or(threads))),
        clock_(clock),
        timer_(spec.benchmark.timer) {}

  Json Describe() const override;
  Status Prepare() override;
  void BeginMeasuring() override { timer_.Restart(); }
  Expected<StepReport> Step(std::int64_t most_steps) override;

 private:
  std::chrono::nanoseconds TimeBlock(std::int64_t runs);

  const contract::Spec spec_;
  Device& device_;
  std::vector<std::string> names_;
  int threads_;
  const Clock& clock_;
  BlockTimer timer_;
  std::vector<std::unique_ptr<TimedModel>> models_;  ///< one per device
};

Json Benchmark::Describe() const {
  const contract::BenchmarkSpec& benchmark = spec_.benchmark;
  const contract::BackendSpec& backend = benchmark.backend;
  Json json = {{"kind", "Benchmark"},
               {"model", contract::ToString(benchmark.model.kind)},
               {"devices", names_},
               {"measure", contract::ToString(benchmark.measure)},
               {"timer", contract::ToString(benchmark.timer.method)},
               {"backend",
                {{"cudnnBenchmark", backend.cudnn_benchmark},
                 {"deterministic", backend.deterministic},
                 {"tf32", backend.tf32},
                 {"threads", threads_},
                 {"anomalyDetection", false}}},
               {"stepIncludes", benchmark.measure == contract::Measure::kForward ? "forward"
                                : benchmark.measure == contract::Measure::kBackward
                                    ? "forward, loss, backward, gradients dropped"
                                    : "forward, loss, backward, optimizer, gradients dropped"}};
  if (benchmark.measure == contract::Measure::kForward) {
    json["gradMode"] = contract::ToString(benchmark.grad_mode);
  }
  if (!models_.empty()) json["parameters"] = models_.front()->ParameterCount();
  return json;
}

Status Benchmark::Prepare() {
  try {
    SetComputeThreads(threads_);
    SetBackendFlags(spec_.benchmark.backend);
    SeedEverything(spec_.seed);
    for (const std::string& name : names_) {
      models_.push_back(std::make_unique<TimedModel>(spec_, name));
    }
    device_.Synchronize();
    timer_.Calibrate([this](std::int64_t runs) { return TimeBlock(runs); });
    return {};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

std::chrono::nanoseconds Benchmark::TimeBlock(std::int64_t runs) {
  const GradScope gradients(spec_.benchmark);
  const BootTime began = clock_.Boot();
  for (std::int64_t run = 0; run < runs; ++run) {
    for (const auto& model : models_) model->Launch();
  }
  device_.Synchronize();
  return clock_.Boot() - began;
}

Expected<StepReport> Benchmark::Step(std::int64_t) {
  try {
    const std::int64_t runs = timer_.Next();
    const std::chrono::nanoseconds time = TimeBlock(runs);
    timer_.Add(runs, time);
    StepReport report;
    report.steps = runs;
    report.work = static_cast<double>(runs) * static_cast<double>(models_.size()) *
                  static_cast<double>(spec_.benchmark.batch_size);
    report.block = Block{time, timer_.finished(), timer_.settled()};
    return report;
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

}  // namespace

std::unique_ptr<Workload> MakeBenchmark(const contract::Spec& spec, Device& device,
                                        std::vector<std::string> device_names, int threads,
                                        const Clock& clock) {
  return std::make_unique<Benchmark>(spec, device, std::move(device_names), threads, clock);
}

}  // namespace torchsoak::runner
