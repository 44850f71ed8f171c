#include "runner/workload/gemm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/detect/exact_leak.h"
#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

/// A real product that comes out wrong at some launches, counted from 0.
class SickProduct : public DeviceProduct {
 public:
  SickProduct(std::unique_ptr<DeviceProduct> inner, std::vector<int> sick)
      : inner_(std::move(inner)), sick_(std::move(sick)) {}
  void Launch() override {
    inner_->Launch();
    if (std::ranges::find(sick_, launches_++) != sick_.end()) inner_->FlipOneBit();
  }
  Fingerprint Note() override { return inner_->Note(); }
  std::optional<std::string> FaultOf(const ProductReference& reference) override {
    return inner_->FaultOf(reference);
  }
  void Choose(std::size_t noted) override { inner_->Choose(noted); }
  std::optional<std::string> Difference() override { return inner_->Difference(); }
  void FlipOneBit() override { inner_->FlipOneBit(); }

 private:
  std::unique_ptr<DeviceProduct> inner_;
  std::vector<int> sick_;
  int launches_ = 0;
};

/// One that never fits its reference.
class UnfitProduct final : public SickProduct {
 public:
  explicit UnfitProduct(std::unique_ptr<DeviceProduct> inner) : SickProduct(std::move(inner), {}) {}
  std::optional<std::string> FaultOf(const ProductReference&) override { return "row 3 is wrong"; }
};

ProductMaker Sick(const std::vector<int>& launches) {
  return [launches](const contract::GemmSpec& gemm, std::uint64_t seed, const std::string& device) {
    return std::make_unique<SickProduct>(MakeDeviceProduct(gemm, seed, device), launches);
  };
}

class GemmTest : public testing::Test {
 protected:
  GemmTest() {
    InstallCountingAllocator();
    device_ = MakeCpuDevice();
    spec_.mode = contract::Mode::kGemm;
    spec_.gemm.size = 96;
  }
  std::unique_ptr<Workload> Prepared(std::vector<std::string> names = {"cpu"}) {
    auto gemm = MakeGemm(spec_, *device_, std::move(names), *clock_, maker_);
    const Status ready = gemm->Prepare();
    EXPECT_TRUE(ready) << ready.error().message;
    return gemm;
  }
  ProductMaker maker_ = MakeDeviceProduct;
  contract::Spec spec_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  std::unique_ptr<Device> device_;
};

TEST_F(GemmTest, AStepIsOneCheckedProduct) {
  const auto gemm = Prepared();
  const auto report = gemm->Step(100);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps, 1);
  EXPECT_DOUBLE_EQ(report->work, 2.0 * 96 * 96 * 96);
  EXPECT_EQ(report->checked.results, 1);
  EXPECT_EQ(report->checked.wrong, 0);
  ASSERT_EQ(report->latencies_ns.size(), 1U);
  EXPECT_GT(report->latencies_ns[0], 0);
  EXPECT_GT(report->aside.count(), 0);
}

TEST_F(GemmTest, EveryPrecisionOfACpu) {
  for (const auto precision : {contract::Precision::kFp64, contract::Precision::kFp32,
                               contract::Precision::kBf16, contract::Precision::kFp16}) {
    spec_.gemm.precision = precision;
    const auto gemm = Prepared();
    for (int i = 0; i < 5; ++i) {
      const auto report = gemm->Step(1);
      ASSERT_TRUE(report);
      EXPECT_EQ(report->checked.results, 1) << contract::ToString(precision);
      EXPECT_EQ(report->checked.wrong, 0) << contract::ToString(precision);
    }
  }
}

TEST_F(GemmTest, ItsFingerprintIsThatOfEveryRunOfTheSameSeed) {
  const Json first = Prepared()->Describe()["fingerprints"];
  ASSERT_TRUE(first.contains("cpu"));
  EXPECT_EQ(Prepared()->Describe()["fingerprints"], first);
  spec_.seed = 1;
  EXPECT_NE(Prepared()->Describe()["fingerprints"], first);
}

TEST_F(GemmTest, TheCheckSeesOneBitAndLeavesARightProduct) {
  const auto gemm = Prepared();
  const auto proofs = gemm->ProveChecks();
  ASSERT_TRUE(proofs);
  ASSERT_EQ(proofs->size(), 1U);
  EXPECT_EQ(proofs->front().check, "WrongResult");
  EXPECT_TRUE(proofs->front().seen);
  EXPECT_EQ(gemm->Step(1)->checked.wrong, 0);
}

TEST_F(GemmTest, SeveralDevicesAreCheckedEach) {
  const auto gemm = Prepared({"cpu", "cpu"});
  const auto report = gemm->Step(1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->checked.results, 2);
  EXPECT_DOUBLE_EQ(report->work, 4.0 * 96 * 96 * 96);
}

TEST_F(GemmTest, LeavesNothingBehind) {
  const auto gemm = Prepared();
  ExactLeak leak;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(gemm->Step(1));
    const MemoryUse memory = device_->Memory();
    leak.Observe({i, 0, memory.objects, memory.requested, memory.born});
  }
  EXPECT_EQ(leak.Conclude().leak.result, contract::LeakResult::kNone);
}

// Three products make the golden one; the canary and the step after it are launches of their own.
TEST_F(GemmTest, AWrongBitInTheMiddleOfARunIsFoundAndPlaced) {
  maker_ = Sick({5});
  const auto gemm = Prepared();
  for (int i = 0; i < 5; ++i) {
    const auto report = gemm->Step(1);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->checked.wrong, i == 2 ? 1 : 0) << i;
    if (i != 2) continue;
    EXPECT_THAT(report->checked.detail, HasSubstr("cpu: product 3 has other bits"));
    EXPECT_THAT(report->checked.detail, HasSubstr("row 48, column 48"));
    EXPECT_THAT(report->checked.detail, HasSubstr("made again, it is right"));
  }
}

TEST_F(GemmTest, AWrongBitThatComesBackIsSaidToComeBack) {
  maker_ = Sick({3, 4});
  const auto report = Prepared()->Step(1);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->checked.detail, HasSubstr("made again, it is wrong again"));
}

TEST_F(GemmTest, ADeviceWithoutAGoldenProductIsWrongOnceAndUncheckedEver) {
  int made = 0;
  maker_ = [&](const contract::GemmSpec& gemm, std::uint64_t seed, const std::string& device) {
    auto product = MakeDeviceProduct(gemm, seed, device);
    if (made++ > 0) return product;
    return std::unique_ptr<DeviceProduct>(std::make_unique<UnfitProduct>(std::move(product)));
  };
  const auto gemm = Prepared({"cpu", "cpu"});
  const auto first = gemm->Step(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->checked.results, 2);
  EXPECT_EQ(first->checked.wrong, 1);
  EXPECT_EQ(first->checked.unchecked, 1);
  EXPECT_THAT(first->checked.detail, HasSubstr("every time row 3 is wrong"));
  const auto second = gemm->Step(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->checked.results, 1);
  EXPECT_EQ(second->checked.wrong, 0);
  EXPECT_EQ(second->checked.unchecked, 1);
}

TEST_F(GemmTest, AWrongFirstProductIsNotTakenForGolden) {
  maker_ = Sick({0});
  const auto gemm = Prepared();
  const auto first = gemm->Step(1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->checked.wrong, 1);
  EXPECT_THAT(first->checked.detail, HasSubstr("the first of three products has other bits"));
  const auto second = gemm->Step(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->checked.results, 1);
  EXPECT_EQ(second->checked.wrong, 0);
}

}  // namespace
}  // namespace torchsoak::runner
