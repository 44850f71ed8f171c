#include "runner/workload/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/detect/exact_leak.h"
#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// Real memory in which a bit flips after some copies, counted from 0.
class ForgetfulRegion final : public DeviceRegion {
 public:
  ForgetfulRegion(std::unique_ptr<DeviceRegion> inner, int copy)
      : inner_(std::move(inner)), copy_(copy) {}
  std::int64_t bytes() const override { return inner_->bytes(); }
  std::int64_t slots() const override { return inner_->slots(); }
  std::int64_t slot_bytes() const override { return inner_->slot_bytes(); }
  void Write(std::int64_t slot, const Content& content) override { inner_->Write(slot, content); }
  void Copy(std::int64_t slot) override {
    inner_->Copy(slot);
    if (copies_++ == copy_) inner_->FlipOneBit(slot);
  }
  std::optional<std::string> Fault(std::int64_t slot, const Content& content) override {
    return inner_->Fault(slot, content);
  }
  void FlipOneBit(std::int64_t slot) override { inner_->FlipOneBit(slot); }

 private:
  std::unique_ptr<DeviceRegion> inner_;
  int copy_;
  int copies_ = 0;
};

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() {
    InstallCountingAllocator();
    device_ = MakeCpuDevice();
    spec_.mode = contract::Mode::kMemory;
    spec_.memory_test.size = 8 * kMiB;
  }
  std::unique_ptr<Workload> Prepared(std::vector<std::string> names = {"cpu"}) {
    auto memory = MakeMemory(spec_, *device_, std::move(names), *clock_, maker_);
    const Status ready = memory->Prepare();
    EXPECT_TRUE(ready) << ready.error().message;
    return memory;
  }
  void Forget(int copy) {
    maker_ = [copy](std::optional<std::int64_t> bytes, const std::string& device) {
      return std::make_unique<ForgetfulRegion>(MakeDeviceRegion(bytes, device), copy);
    };
  }
  RegionMaker maker_ = MakeDeviceRegion;
  contract::Spec spec_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  std::unique_ptr<Device> device_;
};

TEST_F(MemoryTest, AStepChecksASlotAndCopiesIt) {
  const auto memory = Prepared();
  (void)memory->Step(1);  // with what the first pass showed
  const auto report = memory->Step(1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps, 1);
  EXPECT_DOUBLE_EQ(report->work, 2.0 * 2 * kMiB);
  EXPECT_EQ(report->checked.results, 1);
  EXPECT_EQ(report->checked.wrong, 0);
  ASSERT_EQ(report->latencies_ns.size(), 1U);
  EXPECT_GT(report->latencies_ns[0], 0);
  EXPECT_GT(report->aside.count(), 0);
}

TEST_F(MemoryTest, AllIsCoveredWhenEveryPatternHasBeenEverywhere) {
  const auto memory = Prepared();  // two slots; the first pattern is checked at once
  for (int step = 1; step <= 12; ++step) {
    const auto report = memory->Step(1);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->checked.results, step == 1 ? 3 : 1);
    EXPECT_DOUBLE_EQ(report->checked.covered, std::min(1.0, (2.0 + step) / 12)) << step;
  }
  EXPECT_EQ(memory->Describe()["regions"][0]["passesChecked"], 7);
}

TEST_F(MemoryTest, SeveralDevicesAreCheckedEach) {
  const auto memory = Prepared({"cpu", "cpu"});
  const auto report = memory->Step(1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->checked.results, 4 + 2);
  EXPECT_DOUBLE_EQ(report->work, 2 * 2.0 * 2 * kMiB);
}

TEST_F(MemoryTest, AFlippedBitIsFoundAPassLater) {
  Forget(3);  // the second slot's copy of the first step's pass
  const auto memory = Prepared();
  for (int step = 1; step <= 8; ++step) {
    const auto report = memory->Step(1);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->checked.wrong, step == 4 ? 1 : 0) << step;
    if (step != 4) continue;
    EXPECT_THAT(report->checked.detail,
                HasSubstr("cpu, pass 2: 1 word of pattern FF came back otherwise"));
  }
}

TEST_F(MemoryTest, AFlippedBitOfTheFirstPassIsInTheFirstReport) {
  Forget(1);
  const auto memory = Prepared();
  const auto report = memory->Step(1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->checked.wrong, 1);
  EXPECT_THAT(report->checked.detail, HasSubstr("pass 1: 1 word of pattern 00"));
  // It is still there when the slot's turn comes, and gone with the pass after.
  EXPECT_EQ(memory->Step(1)->checked.wrong, 1);
  for (int step = 0; step < 6; ++step) EXPECT_EQ(memory->Step(1)->checked.wrong, 0);
}

TEST_F(MemoryTest, TheCheckSeesOneBitAndLeavesTheMemoryRight) {
  const auto memory = Prepared();
  const auto proofs = memory->ProveChecks();
  ASSERT_TRUE(proofs);
  ASSERT_EQ(proofs->size(), 1U);
  EXPECT_EQ(proofs->front().check, "WrongResult");
  EXPECT_TRUE(proofs->front().seen);
  for (int step = 0; step < 4; ++step) EXPECT_EQ(memory->Step(1)->checked.wrong, 0);
}

TEST_F(MemoryTest, LeavesNothingBehind) {
  const auto memory = Prepared();
  ExactLeak leak;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(memory->Step(1));
    const MemoryUse use = device_->Memory();
    leak.Observe({i, 0, use.objects, use.requested, use.born});
  }
  EXPECT_EQ(leak.Conclude().leak.result, contract::LeakResult::kNone);
}

}  // namespace
}  // namespace torchsoak::runner
