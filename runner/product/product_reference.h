#pragma once
// What a product must be, as far as it can be known without multiplying the matrices again:
// computed on the host in FP64, once, from the sources of both factors.
//
// Two checks, each blind where the other sees:
// - Row and column sums (algorithm-based fault tolerance; Huang and Abraham, 1984): C·1 = A·(B·1)
//   and 1ᵀ·C = (1ᵀ·A)·B. Sees an error anywhere, if it is larger than what rounding leaves.
// - Eight rows, element by element, against the bound on the error of a dot product of length K,
//   |c - ref| <= 3·√K·u·Σ|a||b| + u_out·|ref| (u: unit roundoff of the accumulation, u_out: of the
//   result). Sees a small error, if it is in one of these rows.

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "common/contract/spec.h"
#include "runner/product/matrix_source.h"

namespace torchsoak::runner {

class ProductReference {
 public:
  /// Makes A once and B twice, and some forty host operations for each of their elements.
  ProductReference(const MatrixSource& a, const MatrixSource& b, contract::Precision precision);

  /// How `product` is wrong; nothing when it fits. Any device; read in blocks.
  std::optional<std::string> FaultOf(const at::Tensor& product) const;

 private:
  std::optional<std::string> WrongRow(const at::Tensor& rows, std::int64_t first) const;

  std::int64_t n_;
  double result_unit_;              ///< unit roundoff of the result's type
  double accumulated_unit_;         ///< of the sums inside a product
  at::Tensor row_sums_;             ///< FP64 [n]: C·1
  at::Tensor column_sums_;          ///< FP64 [n]: 1ᵀ·C
  std::vector<std::int64_t> rows_;  ///< that are known element by element, rising
  at::Tensor elements_;             ///< FP64 [rows, n]
  at::Tensor bounds_;               ///< the same: how far an element may be off
};

}  // namespace torchsoak::runner
