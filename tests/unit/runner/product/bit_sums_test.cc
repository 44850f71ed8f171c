#include "runner/product/bit_sums.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>

#include "runner/product/matrix_source.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;

constexpr std::array kTypes = {Precision::kFp32, Precision::kBf16, Precision::kFp16,
                               Precision::kTf32, Precision::kFp64};

at::Tensor Matrix(Precision precision, std::int64_t n = 37) {
  return MatrixSource(n, precision, 1, 'A').On(c10::kCPU);
}

TEST(BitSums, EveryBitOfAnyTypeCounts) {
  for (const Precision precision : kTypes) {
    const at::Tensor matrix = Matrix(precision);
    const BitSums golden = SumBits(matrix);
    const auto bits = static_cast<int>(8 * matrix.element_size());
    for (int bit = 0; bit < bits; ++bit) {
      at::Tensor changed = matrix.clone();
      auto* bytes = static_cast<std::uint8_t*>(changed.data_ptr());
      bytes[(5 * 37 + 7) * matrix.element_size() + bit / 8] ^=
          static_cast<std::uint8_t>(1 << bit % 8);
      const BitSums sums = SumBits(changed);
      EXPECT_FALSE(SameBits(sums, golden)) << contract::ToString(precision) << " bit " << bit;
      EXPECT_EQ(WhereTheyDiffer(sums, golden), "1 row and 1 column differ: row 5, column 7");
      EXPECT_NE(FingerprintOf(sums), FingerprintOf(golden));
    }
    EXPECT_TRUE(SameBits(SumBits(matrix.clone()), golden));
  }
}

TEST(BitSums, AnErrorAndItsOppositeDoNotCancel) {
  at::Tensor matrix = at::zeros({8, 8});
  const BitSums golden = SumBits(matrix);
  auto* bits = static_cast<std::int32_t*>(matrix.data_ptr());
  bits[8 + 1] = 1;
  bits[8 + 2] = -1;  // the same row
  EXPECT_EQ(WhereTheyDiffer(SumBits(matrix), golden), "0 rows and 2 columns differ: column 1");
  EXPECT_FALSE(SameBits(SumBits(matrix), golden));
  bits[8 + 2] = 0;
  bits[16 + 1] = -1;  // the same column
  EXPECT_FALSE(SameBits(SumBits(matrix), golden));
}

TEST(BitSums, NotANumberIsOnlyBits) {
  at::Tensor matrix = at::zeros({4, 4});
  matrix.fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(SameBits(SumBits(matrix), SumBits(matrix.clone())));
  EXPECT_FALSE(SameBits(SumBits(matrix), SumBits(at::zeros({4, 4}))));
}

TEST(BitSums, BlocksAddUp) {
  const at::Tensor large = at::randn({3000, 3000});  // two blocks
  const BitSums sums = SumBits(large);
  const at::Tensor bits = large.view(at::kInt).to(at::kLong);
  EXPECT_TRUE(at::equal(sums.rows, bits.sum(1)));
  EXPECT_TRUE(at::equal(sums.columns, bits.sum(0)));
}

TEST(BitSums, OneFlippedBitIsTheSmallestFault) {
  at::Tensor matrix = Matrix(Precision::kBf16);
  const BitSums golden = SumBits(matrix);
  FlipOneBit(matrix);
  EXPECT_EQ(WhereTheyDiffer(SumBits(matrix), golden),
            "1 row and 1 column differ: row 18, column 18");
}

TEST(MatrixSource, TheSameAtAnyTimeAndOtherwiseDifferent) {
  const MatrixSource a(300, Precision::kFp32, 5, 'A');
  EXPECT_TRUE(
      at::equal(a.On(c10::kCPU), MatrixSource(300, Precision::kFp32, 5, 'A').On(c10::kCPU)));
  EXPECT_FALSE(at::equal(a.Block(0), MatrixSource(300, Precision::kFp32, 5, 'B').Block(0)));
  EXPECT_FALSE(at::equal(a.Block(0), MatrixSource(300, Precision::kFp32, 6, 'A').Block(0)));
}

TEST(MatrixSource, BlocksAreTheRowsOfTheWhole) {
  const MatrixSource source(2500, Precision::kBf16, 0, 'A');
  ASSERT_GT(source.blocks(), 1);
  const at::Tensor whole = source.On(c10::kCPU);
  for (std::int64_t i = 0; i < source.blocks(); ++i) {
    const at::Tensor block = source.Block(i);
    EXPECT_TRUE(at::equal(whole.narrow(0, source.FirstRow(i), block.size(0)), block));
  }
  EXPECT_FALSE(at::equal(source.Block(0).select(0, 0), source.Block(1).select(0, 0)));
}

TEST(MatrixSource, NumbersAreNormalAndExactInTheirType) {
  const at::Tensor cut = Matrix(Precision::kTf32, 500);
  EXPECT_EQ(cut.view(at::kInt).bitwise_and((1 << 13) - 1).abs().sum().item<std::int64_t>(), 0);
  for (const Precision precision : kTypes) {
    const at::Tensor matrix = Matrix(precision, 500).to(at::kDouble);
    EXPECT_NEAR(matrix.mean().item<double>(), 0, 0.01) << contract::ToString(precision);
    EXPECT_NEAR(matrix.std().item<double>(), 1, 0.01) << contract::ToString(precision);
  }
}

}  // namespace
}  // namespace torchsoak::runner
