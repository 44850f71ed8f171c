#include "runner/product/bit_sums.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "runner/product/spread.h"

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kSideElements = std::int64_t{8} << 20;  // of 8 bytes

/// The same memory as whole numbers.
at::Tensor BitsOf(const at::Tensor& matrix) {
  switch (matrix.element_size()) {
    case 2:
      return matrix.view(at::kShort);
    case 4:
      return matrix.view(at::kInt);
    default:
      return matrix.view(at::kLong);
  }
}

std::uint64_t WeightedSum(const at::Tensor& sums, std::uint64_t salt) {
  const at::Tensor host = sums.to(at::kCPU);
  const std::int64_t* values = host.const_data_ptr<std::int64_t>();
  std::uint64_t total = 0;
  for (std::int64_t i = 0; i < host.numel(); ++i) {
    const std::uint64_t weight = Spread(salt + static_cast<std::uint64_t>(i)) | 1U;
    total += static_cast<std::uint64_t>(values[i]) * weight;
  }
  return total;
}

/// "2 rows" and, at the end of `where`, the first of them.
std::string CountOf(const at::Tensor& differs, const char* noun, std::string& where) {
  const at::Tensor host = differs.to(at::kCPU);
  const bool* flags = host.const_data_ptr<bool>();
  const std::int64_t count = std::count(flags, flags + host.numel(), true);
  if (count > 0) {
    const std::int64_t first = std::find(flags, flags + host.numel(), true) - flags;
    where += (where.empty() ? "" : ", ") + std::string(noun) + " " + std::to_string(first);
  }
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

BitSums SumBits(const at::Tensor& matrix) {
  const at::Tensor bits = BitsOf(matrix);
  const std::int64_t n = bits.size(0);
  const auto options = at::TensorOptions().dtype(at::kLong).device(matrix.device());
  BitSums sums{at::empty({n}, options), at::zeros({bits.size(1)}, options)};
  const std::int64_t step = std::clamp<std::int64_t>(kSideElements / bits.size(1), 1, n);
  for (std::int64_t first = 0; first < n; first += step) {
    const std::int64_t rows = std::min(step, n - first);
    const at::Tensor block = bits.narrow(0, first, rows).to(at::kLong);
    sums.rows.narrow(0, first, rows).copy_(block.sum(1));
    sums.columns.add_(block.sum(0));
  }
  return sums;
}

bool SameBits(const BitSums& a, const BitSums& b) {
  return at::equal(a.rows, b.rows) && at::equal(a.columns, b.columns);
}

std::string WhereTheyDiffer(const BitSums& a, const BitSums& b) {
  std::string where;
  const std::string rows = CountOf(a.rows.ne(b.rows), "row", where);
  const std::string columns = CountOf(a.columns.ne(b.columns), "column", where);
  return rows + " and " + columns + " differ: " + where;
}

Fingerprint FingerprintOf(const BitSums& sums) {
  return {WeightedSum(sums.rows, 0), WeightedSum(sums.columns, std::uint64_t{1} << 32)};
}

void FlipOneBit(at::Tensor& matrix) {
  const std::int64_t middle = matrix.size(0) / 2;
  BitsOf(matrix).select(0, middle).select(0, middle).bitwise_xor_(1);
}

}  // namespace torchsoak::runner
