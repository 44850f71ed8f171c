#include "runner/product/product_reference.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runner/product/spread.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kBlockElements = std::int64_t{4} << 20;

double ResultUnit(Precision precision) {
  switch (precision) {
    case Precision::kBf16:
      return std::ldexp(1.0, -8);
    case Precision::kFp16:
    case Precision::kTf32:  // FP32 results, but no document says how tensor cores round their sums
      return std::ldexp(1.0, -11);
    case Precision::kFp32:
      return std::ldexp(1.0, -24);
    case Precision::kFp64:
      return std::ldexp(1.0, -53);
  }
  return std::ldexp(1.0, -24);
}

double AccumulatedUnit(Precision precision) {
  return std::ldexp(1.0, precision == Precision::kFp64 ? -53 : -24);
}

/// Rows spread over the matrix: always the same for the same n.
std::vector<std::int64_t> ChooseRows(std::int64_t n) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < kRows; ++i) {
    const auto random = Spread(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(n);
    rows.push_back(static_cast<std::int64_t>(random));
  }
  std::ranges::sort(rows);
  const auto doubles = std::ranges::unique(rows);
  rows.erase(doubles.begin(), doubles.end());
  return rows;
}

std::string Sentence(const char* what, std::int64_t at, double got, double expected, double bound) {
  char text[200];
  std::snprintf(text, sizeof text, "%s %lld of the product is %.9g, not %.9g (within %.3g)", what,
                static_cast<long long>(at), got, expected, bound);
  return text;
}

/// The first place where |got - expected| is more than the bound, or `got` is no finite number.
std::optional<std::string> FirstBeyond(const char* what, const at::Tensor& got,
                                       const at::Tensor& expected, const at::Tensor& bound) {
  const double* have = got.const_data_ptr<double>();
  const double* want = expected.const_data_ptr<double>();
  const double* may = bound.const_data_ptr<double>();
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    if (std::isfinite(have[i]) && std::fabs(have[i] - want[i]) <= may[i]) continue;
    return Sentence(what, i, have[i], want[i], may[i]);
  }
  return std::nullopt;
}

}  // namespace

ProductReference::ProductReference(const MatrixSource& a, const MatrixSource& b,
                                   Precision precision)
    : n_(a.n()),
      result_unit_(ResultUnit(precision)),
      accumulated_unit_(AccumulatedUnit(precision)),
      rows_(ChooseRows(n_)) {
  const auto wide = at::TensorOptions().dtype(at::kDouble);
  const auto known = static_cast<std::int64_t>(rows_.size());
  at::Tensor sums_of_b = at::empty({n_}, wide);  // B·1
  for (std::int64_t i = 0; i < b.blocks(); ++i) {
    const at::Tensor block = b.Block(i).to(at::kDouble);
    sums_of_b.narrow(0, b.FirstRow(i), block.size(0)).copy_(block.sum(1));
  }
  row_sums_ = at::empty({n_}, wide);
  at::Tensor sums_of_a = at::zeros({n_}, wide);  // 1ᵀ·A
  at::Tensor rows_of_a = at::empty({known, n_}, wide);
  for (std::int64_t i = 0; i < a.blocks(); ++i) {
    const at::Tensor block = a.Block(i).to(at::kDouble);
    const std::int64_t first = a.FirstRow(i);
    row_sums_.narrow(0, first, block.size(0)).copy_(block.mv(sums_of_b));
    sums_of_a.add_(block.sum(0));
    for (std::int64_t r = 0; r < known; ++r) {
      const std::int64_t row = rows_[static_cast<std::size_t>(r)] - first;
      if (row >= 0 && row < block.size(0)) rows_of_a.select(0, r).copy_(block.select(0, row));
    }
  }
  column_sums_ = at::zeros({n_}, wide);
  elements_ = at::zeros({known, n_}, wide);
  at::Tensor sizes = at::zeros({known, n_}, wide);  // Σ|a||b|
  for (std::int64_t i = 0; i < b.blocks(); ++i) {
    const at::Tensor block = b.Block(i).to(at::kDouble);
    const std::int64_t first = b.FirstRow(i);
    const at::Tensor part = rows_of_a.narrow(1, first, block.size(0));
    column_sums_.add_(block.t().mv(sums_of_a.narrow(0, first, block.size(0))));
    elements_.add_(part.mm(block));
    sizes.add_(part.abs().mm(block.abs()));
  }
  bounds_ = sizes.mul(3 * std::sqrt(static_cast<double>(n_)) * accumulated_unit_)
                .add(elements_.abs().mul(result_unit_));
}

std::optional<std::string> ProductReference::WrongRow(const at::Tensor& rows,
                                                      std::int64_t first) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::int64_t row = rows_[r] - first;
    if (row < 0 || row >= rows.size(0)) continue;
    const auto known = static_cast<std::int64_t>(r);
    if (auto wrong = FirstBeyond("element", rows.select(0, row).contiguous(),
                                 elements_.select(0, known), bounds_.select(0, known))) {
      return "row " + std::to_string(rows_[r]) + ", " + *wrong;
    }
  }
  return std::nullopt;
}

std::optional<std::string> ProductReference::FaultOf(const at::Tensor& product) const {
  const auto wide = at::TensorOptions().dtype(at::kDouble);
  at::Tensor row_sums = at::empty({n_}, wide);
  at::Tensor row_norms = at::empty({n_}, wide);
  at::Tensor column_sums = at::zeros({n_}, wide);
  at::Tensor column_squares = at::zeros({n_}, wide);
  const std::int64_t step = std::clamp<std::int64_t>(kBlockElements / n_, 1, n_);
  for (std::int64_t first = 0; first < n_; first += step) {
    const std::int64_t count = std::min(step, n_ - first);
    const at::Tensor block = product.narrow(0, first, count).to(at::kCPU).to(at::kDouble);
    if (auto wrong = WrongRow(block, first)) return wrong;
    const at::Tensor squares = block.mul(block);
    row_sums.narrow(0, first, count).copy_(block.sum(1));
    row_norms.narrow(0, first, count).copy_(squares.sum(1).sqrt());
    column_sums.add_(block.sum(0));
    column_squares.add_(squares.sum(0));
  }
  // What rounding can leave in a sum of results, four times over: the results' own rounding, and
  // that of the sums of K terms from which they came.
  const double allowed =
      4 * (result_unit_ + accumulated_unit_ * std::sqrt(static_cast<double>(n_)));
  if (auto wrong = FirstBeyond("sum of row", row_sums, row_sums_, row_norms.mul(allowed))) {
    return wrong;
  }
  return FirstBeyond("sum of column", column_sums, column_sums_,
                     column_squares.sqrt().mul(allowed));
}

}  // namespace torchsoak::runner
