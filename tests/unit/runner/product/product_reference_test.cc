#include "runner/product/product_reference.h"

#include <ATen/ops/mm.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runner/product/matrix_source.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;
using testing::HasSubstr;

struct Case {
  Case(std::int64_t n, Precision precision)
      : a(n, precision, 3, 'A'),
        b(n, precision, 3, 'B'),
        reference(a, b, precision),
        product(at::mm(a.On(c10::kCPU), b.On(c10::kCPU))) {}

  MatrixSource a;
  MatrixSource b;
  ProductReference reference;
  at::Tensor product;
};

TEST(ProductReference, WhatTheCpuComputesFitsInEveryType) {
  for (const Precision precision :
       {Precision::kFp32, Precision::kBf16, Precision::kFp16, Precision::kTf32, Precision::kFp64}) {
    for (const std::int64_t n : {16, 17, 250, 600}) {
      const Case one(n, precision);
      const auto fault = one.reference.FaultOf(one.product);
      EXPECT_FALSE(fault) << contract::ToString(precision) << " " << n << ": " << *fault;
    }
  }
}

// Wherever it is: of 600 rows eight are known by their elements, the others by their sums.
TEST(ProductReference, OneWrongElementIsSeenAnywhere) {
  const Case one(600, Precision::kFp32);
  for (const std::int64_t row : {0, 1, 299, 598, 599}) {
    at::Tensor wrong = one.product.clone();
    wrong.select(0, row).select(0, (row * 7) % 600).add_(1);
    const auto fault = one.reference.FaultOf(wrong);
    ASSERT_TRUE(fault) << row;
    EXPECT_THAT(*fault, HasSubstr(std::to_string(row))) << *fault;
  }
}

TEST(ProductReference, NotANumberNeverFits) {
  const Case one(64, Precision::kBf16);
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    at::Tensor wrong = one.product.clone();
    wrong.select(0, 40).select(0, 2).fill_(value);
    EXPECT_TRUE(one.reference.FaultOf(wrong)) << value;
  }
}

TEST(ProductReference, TheProductOfOtherMatricesDoesNotFit) {
  const Case one(64, Precision::kFp16);
  EXPECT_TRUE(one.reference.FaultOf(at::mm(one.b.On(c10::kCPU), one.a.On(c10::kCPU))));
  EXPECT_TRUE(one.reference.FaultOf(one.product.t().contiguous()));
  EXPECT_TRUE(one.reference.FaultOf(one.product.mul(0)));
}

// Two elements of a row that are exchanged leave its sum as it is; the columns see them.
TEST(ProductReference, RowsAloneWouldNotDo) {
  const Case one(600, Precision::kFp32);
  at::Tensor wrong = one.product.clone();
  wrong.select(0, 5).select(0, 10).add_(3);
  wrong.select(0, 5).select(0, 20).sub_(3);
  const auto fault = one.reference.FaultOf(wrong);
  ASSERT_TRUE(fault);
  EXPECT_THAT(*fault, HasSubstr("sum of column"));
}

}  // namespace
}  // namespace torchsoak::runner
