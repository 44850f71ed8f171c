#pragma once
// What a matrix is, down to its last bit, in 2n numbers: the sums of its rows and of its columns,
// where every element counts as the whole number that its bits are.
//
// Whole numbers can be summed in any order, so the sums of equal matrices are equal on any device;
// one changed bit changes a row and a column, and thereby says where it is. To stay unseen, a fault
// must change four elements at the corners of a rectangle by the same amount.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runner/product/golden.h"

namespace torchsoak::runner {

struct BitSums {
  at::Tensor rows;     ///< int64 [n], on the matrix's device; sums wrap around
  at::Tensor columns;  ///< the same
};

/// Takes at most 64 MiB on the side. Throws what LibTorch throws.
BitSums SumBits(const at::Tensor& matrix);

/// Waits for the device.
bool SameBits(const BitSums& a, const BitSums& b);

/// "1 row and 1 column differ: row 17, column 4711".
std::string WhereTheyDiffer(const BitSums& a, const BitSums& b);

/// The sums in two numbers, to be compared with those of other devices, nodes and nights.
Fingerprint FingerprintOf(const BitSums& sums);

/// Changes the lowest bit of one element, in the middle.
void FlipOneBit(at::Tensor& matrix);

}  // namespace torchsoak::runner
