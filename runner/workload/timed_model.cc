#include "runner/workload/timed_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <vector>

#include "runner/device/counting_allocator.h"
#include "runner/device/step_part.h"
#include "runner/model/loss.h"
#include "runner/model/model.h"
#include "runner/model/samples.h"
#include "runner/workload/optimizer.h"

namespace torchsoak::runner {

using contract::GradMode;
using contract::Measure;

struct GradScope::Impl {
  std::optional<c10::InferenceMode> inference;
  std::optional<at::NoGradGuard> no_gradients;
};

GradScope::GradScope(const contract::BenchmarkSpec& spec) : impl_(std::make_unique<Impl>()) {
  if (spec.measure != Measure::kForward) return;
  if (spec.grad_mode == GradMode::kInferenceMode) impl_->inference.emplace();
  if (spec.grad_mode == GradMode::kNoGrad) impl_->no_gradients.emplace();
}

GradScope::~GradScope() = default;

struct TimedModel::Impl {
  Impl(const contract::Spec& spec, const std::string& device)
      : benchmark(spec.benchmark),
        task(TaskOf(benchmark.model)),
        model(MakeModel(benchmark.model, benchmark.precision, device, benchmark.batch_size)) {
    at::Generator rng = at::detail::createCPUGenerator(spec.seed);
    std::vector<at::Tensor> samples = RandomInputs(task, benchmark.batch_size, rng);
    const bool learns = benchmark.measure != Measure::kForward;
    if (learns) targets = TargetsOf(task, samples).to(c10::Device(device));
    inputs = Placed(std::move(samples), benchmark.precision, device);
    model->SetTraining(learns);
    if (learns) optimizer = MakeOptimizer(contract::TrainingSpec(), model->Parameters());
  }

  contract::BenchmarkSpec benchmark;
  Task task;
  std::unique_ptr<Model> model;
  std::vector<at::Tensor> inputs;
  at::Tensor targets;
  std::unique_ptr<Optimizer> optimizer;  ///< nothing for Forward
};

TimedModel::TimedModel(const contract::Spec& spec, const std::string& device)
    : impl_(std::make_unique<Impl>(spec, device)) {}

TimedModel::~TimedModel() = default;

void TimedModel::Launch() {
  Impl& impl = *impl_;
  if (impl.benchmark.measure == Measure::kForward) {
    const InStepPart part(StepPart::kForward);
    impl.model->Forward(impl.inputs);
    return;
  }
  at::Tensor loss;
  {
    const InStepPart part(StepPart::kForward);
    loss = LossOf(impl.task.target, impl.model->Forward(impl.inputs), impl.targets);
  }
  {
    const InStepPart part(StepPart::kBackward);
    loss.backward();
  }
  const InStepPart part(StepPart::kOptimizer);
  if (impl.benchmark.measure == Measure::kStep) impl.optimizer->Step();
  impl.optimizer->DropGradients();
}

std::int64_t TimedModel::ParameterCount() const { return CountParameters(*impl_->model); }

}  // namespace torchsoak::runner
