#include <array>
#include <cmath>
#include <cstdio>

#include "runner/product/product_check.h"

namespace torchsoak::runner {
namespace {

using Vector = std::vector<double>;  // exact: every sum stays below 2^53

std::string Difference(const char* what, std::int64_t index, double expected, double got) {
  char text[160];
  std::snprintf(text, sizeof text, "%s %lld of the product is %.17g, not %.17g", what,
                static_cast<long long>(index), got, expected);
  return text;
}

/// m · v
Vector TimesVector(const float* m, const Vector& v, std::int64_t n) {
  Vector result(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += m[i * n + j] * v[static_cast<std::size_t>(j)];
    result[static_cast<std::size_t>(i)] = sum;
  }
  return result;
}

/// vᵀ · m
Vector VectorTimes(const Vector& v, const float* m, std::int64_t n) {
  Vector result(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      result[static_cast<std::size_t>(j)] += v[static_cast<std::size_t>(i)] * m[i * n + j];
    }
  }
  return result;
}

/// NaN in `got` differs, too.
std::optional<std::string> FirstDifference(const char* what, const Vector& expected,
                                           const Vector& got) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(expected[i] == got[i])) {
      return Difference(what, static_cast<std::int64_t>(i), expected[i], got[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompareRow(const float* a, const float* b, const float* product,
                                      std::int64_t n, std::int64_t row) {
  Vector expected(static_cast<std::size_t>(n), 0.0);
  for (std::int64_t k = 0; k < n; ++k) {
    const double factor = a[row * n + k];
    for (std::int64_t j = 0; j < n; ++j)
      expected[static_cast<std::size_t>(j)] += factor * b[k * n + j];
  }
  const Vector got(product + row * n, product + (row + 1) * n);
  const auto wrong = FirstDifference("element", expected, got);
  if (!wrong) return std::nullopt;
  return "row " + std::to_string(row) + ", " + *wrong;
}

}  // namespace

std::optional<std::string> CompareProduct(const float* a, const float* b, const float* product,
                                          std::int64_t n, const std::function<void()>& beat) {
  const Vector ones(static_cast<std::size_t>(n), 1.0);
  const Vector rows = TimesVector(a, TimesVector(b, ones, n), n);
  beat();
  if (auto wrong = FirstDifference("sum of row", rows, TimesVector(product, ones, n))) return wrong;
  beat();
  const Vector columns = VectorTimes(VectorTimes(ones, a, n), b, n);
  beat();
  if (auto wrong = FirstDifference("sum of column", columns, VectorTimes(ones, product, n))) {
    return wrong;
  }
  for (const std::int64_t row : std::array<std::int64_t, 4>{0, n / 3, n / 2, n - 1}) {
    beat();
    if (auto wrong = CompareRow(a, b, product, n, row)) return wrong;
  }
  return std::nullopt;
}

}  // namespace torchsoak::runner
