#include "runner/workload/training.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "runner/device/backend_flags.h"
#include "runner/workload/errors.h"
#include "runner/workload/replica.h"
#include "runner/workload/seed.h"

namespace torchsoak::runner {
namespace {

class Training final : public Workload {
 public:
  Training(const contract::Spec& spec, Device& device, std::vector<std::string> names)
      : spec_(spec), device_(device), names_(std::move(names)) {}

  Json Describe() const override;
  Status Prepare() override;
  void BeginMeasuring() override { StartEpoch(0); }
  Expected<StepReport> Step(std::int64_t most_steps) override;

 private:
  void StartEpoch(std::int64_t epoch);
  StepReport OneStep();

  const contract::Spec spec_;
  Device& device_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::int64_t epoch_ = 0;
  std::int64_t position_ = 0;  ///< first sample of the next step
};

Json Training::Describe() const {
  const contract::TrainingSpec& training = spec_.training;
  Json json = {{"kind", "Training"},
               {"model", contract::ToString(training.model.kind)},
               {"devices", names_},
               {"deterministic", training.deterministic},
               {"stepIncludes", "batch selection, forward, backward, optimizer, device wait"}};
  if (replicas_.empty()) return json;
  const Replica& first = *replicas_.front();
  json["parameters"] = first.ParameterCount();
  json["distinctSamples"] = first.distinct_samples();
  if (training.amp && training.precision == contract::Precision::kFp16) {
    json["lossScale"] = first.loss_scale();
    json["skippedSteps"] = first.skipped_steps();
  }
  return json;
}

Status Training::Prepare() {
  try {
    SetDeterministic(spec_.training.deterministic);
    SeedEverything(spec_.seed);
    for (const std::string& name : names_) {
      replicas_.push_back(std::make_unique<Replica>(spec_, name));
    }
    device_.Synchronize();
    return {};
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

void Training::StartEpoch(std::int64_t epoch) {
  epoch_ = epoch;
  position_ = 0;
  for (const auto& replica : replicas_) replica->Shuffle(epoch);
}

Expected<StepReport> Training::Step(std::int64_t) {
  try {
    return OneStep();
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
}

StepReport Training::OneStep() {
  const contract::TrainingSpec& training = spec_.training;
  const std::int64_t all = training.samples_per_epoch;
  if (position_ >= all) StartEpoch(epoch_ + 1);
  const std::int64_t left = (all - position_ + training.batch_size - 1) / training.batch_size;
  const std::int64_t batches = std::min(training.accumulation_steps, left);
  const std::int64_t samples = std::min(batches * training.batch_size, all - position_);
  for (const auto& replica : replicas_) replica->Launch(position_, batches);
  double loss = 0;
  for (const auto& replica : replicas_) loss += replica->Collect();
  device_.Synchronize();
  position_ += samples;
  StepReport report;
  report.work = static_cast<double>(samples) * static_cast<double>(replicas_.size());
  report.loss = loss / static_cast<double>(replicas_.size());
  report.shape_key = samples;
  report.updated = replicas_.front()->updated();
  for (const auto& replica : replicas_) {
    if (!replica->updated().value_or(true)) report.updated = false;
  }
  report.epoch_finished = position_ >= all;
  return report;
}

}  // namespace

std::unique_ptr<Workload> MakeTraining(const contract::Spec& spec, Device& device,
                                       std::vector<std::string> device_names) {
  return std::make_unique<Training>(spec, device, std::move(device_names));
}

}  // namespace torchsoak::runner
