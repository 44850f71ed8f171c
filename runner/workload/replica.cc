#include "runner/workload/replica.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

#include "runner/device/counting_allocator.h"
#include "runner/device/scalar_type.h"
#include "runner/model/loss.h"
#include "runner/model/model.h"
#include "runner/model/synthetic_data.h"
#include "runner/workload/optimizer.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;

/// torch.amp.GradScaler's numbers.
constexpr double kFirstScale = 65536;
constexpr std::int64_t kGrowthInterval = 2000;

/// Autocast for one scope, with the cache of cast weights dropped at its end: kept, it would show
/// as memory of the next step.
class Autocast {
 public:
  Autocast(bool enabled, c10::DeviceType device, c10::ScalarType type)
      : enabled_(enabled), device_(device) {
    if (!enabled_) return;
    at::autocast::set_autocast_dtype(device_, type);
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!enabled_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, false);
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
  c10::DeviceType device_;
};

/// With autocast the model and its inputs stay FP32.
Precision ModelPrecision(const contract::TrainingSpec& spec) {
  return spec.amp ? Precision::kFp32 : spec.precision;
}

}  // namespace

struct Replica::Impl {
  Impl(const contract::Spec& spec, const std::string& name)
      : training(spec.training),
        device(name),
        task(TaskOf(training.model)),
        model(MakeModel(training.model, ModelPrecision(training), name, training.batch_size)),
        data({task, training.samples_per_epoch, ModelPrecision(training), name, spec.seed}),
        optimizer(MakeOptimizer(training, model->Parameters())) {}

  bool scaling() const { return training.amp && training.precision == Precision::kFp16; }
  at::Tensor Loss(std::int64_t first, std::int64_t count);
  void Update();

  contract::TrainingSpec training;
  c10::Device device;
  Task task;
  std::unique_ptr<Model> model;
  SyntheticData data;
  std::unique_ptr<Optimizer> optimizer;
  at::Tensor loss_sum;
  std::int64_t batches = 1;
  double scale = kFirstScale;
  std::int64_t good_steps = 0;
  std::int64_t skipped = 0;
  bool updated = true;
};

at::Tensor Replica::Impl::Loss(std::int64_t first, std::int64_t count) {
  std::vector<at::Tensor> inputs;
  at::Tensor targets;
  {
    const InStepPart part(StepPart::kData);
    data.Take(first, count, inputs, targets);
  }
  const InStepPart part(StepPart::kForward);
  const Autocast autocast(training.amp, device.type(), ScalarTypeOf(training.precision));
  return LossOf(task.target, model->Forward(inputs), targets);
}

void Replica::Impl::Update() {
  if (!scaling()) {
    optimizer->Step();
    return;
  }
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : model->Parameters()) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  const auto options = at::TensorOptions().device(device).dtype(at::kFloat);
  at::Tensor overflow = at::zeros({1}, options);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, overflow,
                                                 at::full({1}, 1 / scale, options));
  updated = !(overflow.item<double>() > 0);
  if (!updated) {
    scale = std::max(1.0, scale / 2);
    good_steps = 0;
    ++skipped;
    return;
  }
  optimizer->Step();
  if (++good_steps % kGrowthInterval == 0) scale *= 2;
}

Replica::Replica(const contract::Spec& spec, const std::string& device)
    : impl_(std::make_unique<Impl>(spec, device)) {}

Replica::~Replica() = default;

void Replica::Shuffle(std::int64_t epoch) { impl_->data.Shuffle(epoch); }

void Replica::Launch(std::int64_t first, std::int64_t batches) {
  Impl& impl = *impl_;
  impl.batches = batches;
  for (std::int64_t i = 0; i < batches; ++i, first += impl.training.batch_size) {
    const std::int64_t count =
        std::min(impl.training.batch_size, impl.training.samples_per_epoch - first);
    const at::Tensor loss = impl.Loss(first, count);
    const double factor = (impl.scaling() ? impl.scale : 1.0) / static_cast<double>(batches);
    {
      const InStepPart part(StepPart::kBackward);
      (factor == 1.0 ? loss : loss * factor).backward();
    }
    const at::Tensor detached = loss.detach();
    impl.loss_sum = impl.loss_sum.defined() ? impl.loss_sum + detached : detached;
  }
  const InStepPart part(StepPart::kOptimizer);
  impl.Update();
  impl.optimizer->DropGradients();
}

double Replica::Collect() {
  const double loss = impl_->loss_sum.item<double>() / static_cast<double>(impl_->batches);
  impl_->loss_sum = at::Tensor();
  return loss;
}

std::int64_t Replica::ParameterCount() const { return CountParameters(*impl_->model); }
std::int64_t Replica::distinct_samples() const { return impl_->data.distinct(); }
std::int64_t Replica::skipped_steps() const { return impl_->skipped; }
double Replica::loss_scale() const { return impl_->scale; }
std::optional<bool> Replica::updated() const {
  return impl_->scaling() ? std::optional(impl_->updated) : std::nullopt;
}

}  // namespace torchsoak::runner
