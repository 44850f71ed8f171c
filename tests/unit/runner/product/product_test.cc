#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "runner/device/accelerator_device.h"
#include "runner/product/product_check.h"
#include "runner/workload/errors.h"

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

void NoBeat() {}

/// 5 × 5 factors of small whole numbers and their product.
class Product : public testing::Test {
 protected:
  Product() {
    for (std::size_t i = 0; i < 25; ++i) {
      a_.push_back(static_cast<float>(static_cast<int>(i * 7 % 9) - 4));
      b_.push_back(static_cast<float>(static_cast<int>(i * 5 % 9) - 4));
    }
    for (std::size_t i = 0; i < 25; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < 5; ++k) sum += a_[i / 5 * 5 + k] * b_[k * 5 + i % 5];
      product_.push_back(sum);
    }
  }
  std::optional<std::string> Compare() const {
    return CompareProduct(a_.data(), b_.data(), product_.data(), 5, NoBeat);
  }
  std::vector<float> a_, b_, product_;
};

TEST_F(Product, TheRightOneAgrees) { EXPECT_FALSE(Compare()); }

TEST_F(Product, EverySingleWrongElementIsSeen) {
  for (std::size_t i = 0; i < product_.size(); ++i) {
    product_[i] += 1;
    ASSERT_TRUE(Compare()) << i;
    EXPECT_THAT(*Compare(), HasSubstr("row " + std::to_string(i / 5)));
    product_[i] -= 1;
  }
}

TEST_F(Product, TwoErrorsThatCancelInTheRowAreSeenInTheColumns) {
  product_[6] += 1;
  product_[7] -= 1;
  ASSERT_TRUE(Compare());
  EXPECT_THAT(*Compare(), HasSubstr("column"));
}

TEST_F(Product, NaNIsWrong) {
  product_[12] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(Compare());
}

TEST(ProductCheck, ThisMachineMultipliesRight) {
  const auto clock = MakeSystemClock();
  int beats = 0;
  const ProductCheck check = CheckProductOn("cpu", 96, *clock, [&] { ++beats; });
  EXPECT_FALSE(check.wrong) << *check.wrong;
  EXPECT_GT(check.gflops, 0);
  EXPECT_GT(beats, 2);
}

TEST(DeviceErrors, AreNamedInWords) {
  EXPECT_THAT(ExplainDeviceError("CUDA error: no kernel image is available for execution on the "
                                 "device\nCompile with TORCH_USE_CUDA_DSA"),
              HasSubstr("compute capability"));
  EXPECT_THAT(ExplainDeviceError("CUDA driver version is insufficient for CUDA runtime version"),
              HasSubstr("driver is older"));
  EXPECT_EQ(ExplainDeviceError("something else\nwith a stack"), "something else");
}

TEST(DeviceErrors, OutOfMemoryIsToldApart) {
  EXPECT_EQ(ErrorFrom(std::runtime_error("DefaultCPUAllocator: can't allocate memory: you tried "
                                         "to allocate 8 bytes.\nstack"))
                .code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(ErrorFrom(std::bad_alloc()).code, ErrorCode::kTooLarge);
  EXPECT_EQ(ErrorFrom(std::runtime_error("shape mismatch")).code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace torchsoak::runner
