#pragma once
// A square matrix of standard normal numbers that can be made again at any time, some rows at once,
// so that nobody has to hold a second copy of it.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "common/contract/spec.h"

namespace torchsoak::runner {

class MatrixSource {
 public:
  /// n × n, by rows. The numbers are exact in `precision`: what is checked on the host is what the
  /// device multiplies. Matrices of different `name` ('A', 'B') are independent.
  MatrixSource(std::int64_t n, contract::Precision precision, std::uint64_t seed, char name);

  std::int64_t n() const { return n_; }

  /// Rows come in blocks of at most 4 Mi elements.
  std::int64_t blocks() const { return (n_ + block_rows_ - 1) / block_rows_; }
  std::int64_t FirstRow(std::int64_t block) const { return block * block_rows_; }

  /// One block on the host, in the type of `precision`.
  at::Tensor Block(std::int64_t block) const;

  /// All of it, on a device. Throws what LibTorch throws.
  at::Tensor On(c10::Device device) const;

 private:
  std::int64_t n_;
  contract::Precision precision_;
  std::uint64_t seed_;
  std::int64_t block_rows_;
};

}  // namespace torchsoak::runner
