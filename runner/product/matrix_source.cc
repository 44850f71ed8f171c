#include "runner/product/matrix_source.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>

#include <algorithm>

#include "runner/device/scalar_type.h"
#include "runner/product/spread.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;

constexpr std::int64_t kBlockElements = std::int64_t{4} << 20;
/// TF32 has 10 of FP32's 23 bits of fraction.
constexpr std::int32_t kTf32Mask = ~((1 << 13) - 1);

}  // namespace

MatrixSource::MatrixSource(std::int64_t n, Precision precision, std::uint64_t seed, char name)
    : n_(n),
      precision_(precision),
      seed_(Spread(seed) ^ static_cast<std::uint64_t>(name)),
      block_rows_(std::clamp<std::int64_t>(kBlockElements / n, 1, n)) {}

at::Tensor MatrixSource::Block(std::int64_t block) const {
  const std::int64_t rows = std::min(block_rows_, n_ - FirstRow(block));
  at::Generator rng =
      at::detail::createCPUGenerator(Spread(seed_ + static_cast<std::uint64_t>(block)));
  const bool wide = precision_ == Precision::kFp64;
  at::Tensor numbers = at::randn({rows, n_}, rng, wide ? at::kDouble : at::kFloat);
  if (precision_ == Precision::kTf32) numbers.view(at::kInt).bitwise_and_(kTf32Mask);
  return numbers.to(ScalarTypeOf(precision_));
}

at::Tensor MatrixSource::On(c10::Device device) const {
  at::Tensor whole =
      at::empty({n_, n_}, at::TensorOptions().dtype(ScalarTypeOf(precision_)).device(device));
  for (std::int64_t i = 0; i < blocks(); ++i) {
    const at::Tensor rows = Block(i);
    whole.narrow(0, FirstRow(i), rows.size(0)).copy_(rows);
  }
  return whole;
}

}  // namespace torchsoak::runner
