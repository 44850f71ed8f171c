#include "runner/model/synthetic_data.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randperm.h>
#include <c10/core/Device.h>

#include <algorithm>
#include <utility>

#include "runner/model/samples.h"

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kPoolBytes = std::int64_t{256} << 20;

std::int64_t PoolSize(const Task& task, std::int64_t samples) {
  std::int64_t bytes = 0;
  for (const Task::Input& input : task.inputs) {
    std::int64_t each = input.below > 0 ? sizeof(std::int64_t) : sizeof(float);
    for (const std::int64_t size : input.shape) each *= size;
    bytes += each;
  }
  return std::clamp<std::int64_t>(kPoolBytes / bytes, 1, samples);
}

}  // namespace

struct SyntheticData::Impl {
  Options options;
  std::vector<at::Tensor> inputs;
  at::Tensor targets;
  at::Tensor order;
};

SyntheticData::SyntheticData(const Options& options) : impl_(new Impl{options, {}, {}, {}}) {
  const Task& task = options.task;
  at::Generator rng = at::detail::createCPUGenerator(options.seed);
  auto samples = RandomInputs(task, PoolSize(task, options.samples), rng);
  impl_->targets = TargetsOf(task, samples).to(c10::Device(options.device));
  impl_->inputs = Placed(std::move(samples), options.precision, options.device);
  Shuffle(0);
}

SyntheticData::~SyntheticData() = default;

std::int64_t SyntheticData::distinct() const { return impl_->targets.size(0); }

void SyntheticData::Shuffle(std::int64_t epoch) {
  at::Generator rng =
      at::detail::createCPUGenerator(impl_->options.seed + static_cast<std::uint64_t>(epoch) + 1);
  impl_->order = at::Tensor();  // not two orders alive at once
  impl_->order = at::randperm(distinct(), rng, at::kLong).to(impl_->targets.device());
}

void SyntheticData::Take(std::int64_t first, std::int64_t count, std::vector<at::Tensor>& inputs,
                         at::Tensor& targets) const {
  const std::int64_t start = first % distinct();
  const at::Tensor indices =
      start + count <= distinct()
          ? impl_->order.narrow(0, start, count)
          : impl_->order.index_select(
                0, at::arange(start, start + count, impl_->order.options()).remainder(distinct()));
  inputs.clear();
  for (const at::Tensor& input : impl_->inputs) inputs.push_back(input.index_select(0, indices));
  targets = impl_->targets.index_select(0, indices);
}

}  // namespace torchsoak::runner
