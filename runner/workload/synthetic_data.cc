#include "runner/workload/synthetic_data.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <c10/core/Device.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "runner/workload/models.h"
#include "runner/workload/scalar_type.h"

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kPoolBytes = std::int64_t{256} << 20;
constexpr std::int64_t kTeacherFeatures = 1024;
/// The teacher is the same for every seed: two runs learn the same task from different samples.
constexpr std::uint64_t kTeacherSeed = 20240229;

std::int64_t PoolSize(const std::vector<std::int64_t>& shape, std::int64_t samples) {
  std::int64_t bytes = sizeof(float);
  for (const std::int64_t size : shape) bytes *= size;
  return std::clamp<std::int64_t>(kPoolBytes / bytes, 1, samples);
}

/// Images get a mean of their own in each channel: that is what a network with global pooling can
/// see, and what the teacher looks at.
at::Tensor Samples(const std::vector<std::int64_t>& shape, std::int64_t count, at::Generator& rng) {
  std::vector<std::int64_t> all = {count};
  all.insert(all.end(), shape.begin(), shape.end());
  at::Tensor samples = at::randn(all, rng, at::kFloat);
  if (shape.size() > 1) samples.add_(at::randn({count, shape[0], 1, 1}, rng, at::kFloat));
  return samples;
}

at::Tensor Labels(const at::Tensor& samples, std::int64_t classes) {
  const at::Tensor features =
      samples.dim() > 2 ? samples.mean({2, 3})
                        : samples.narrow(1, 0, std::min(samples.size(1), kTeacherFeatures));
  at::Generator rng = at::detail::createCPUGenerator(kTeacherSeed);
  const at::Tensor teacher = at::randn({features.size(1), classes}, rng, at::kFloat);
  return features.matmul(teacher).argmax(1);
}

}  // namespace

struct SyntheticData::Impl {
  Options options;
  at::Tensor inputs;
  at::Tensor labels;
  at::Tensor order;
};

SyntheticData::SyntheticData(const Options& options) : impl_(new Impl{options, {}, {}, {}}) {
  const std::vector<std::int64_t> shape = SampleShape(options.model);
  at::Generator rng = at::detail::createCPUGenerator(options.seed);
  const at::Tensor samples = Samples(shape, PoolSize(shape, options.samples), rng);
  const c10::Device device(options.device);
  impl_->labels = Labels(samples, Classes(options.model)).to(device);
  impl_->inputs = samples.to(device, ScalarTypeOf(options.precision));
  Shuffle(0);
}

SyntheticData::~SyntheticData() = default;

std::int64_t SyntheticData::distinct() const { return impl_->inputs.size(0); }

void SyntheticData::Shuffle(std::int64_t epoch) {
  at::Generator rng =
      at::detail::createCPUGenerator(impl_->options.seed + static_cast<std::uint64_t>(epoch) + 1);
  impl_->order = at::Tensor();  // not two orders alive at once
  impl_->order = at::randperm(distinct(), rng, at::kLong).to(impl_->inputs.device());
}

void SyntheticData::Take(std::int64_t first, std::int64_t count, at::Tensor& inputs,
                         at::Tensor& labels) const {
  const std::int64_t start = first % distinct();
  const at::Tensor indices =
      start + count <= distinct()
          ? impl_->order.narrow(0, start, count)
          : impl_->order.index_select(
                0, at::arange(start, start + count, impl_->order.options()).remainder(distinct()));
  inputs = impl_->inputs.index_select(0, indices);
  labels = impl_->labels.index_select(0, indices);
}

}  // namespace torchsoak::runner
