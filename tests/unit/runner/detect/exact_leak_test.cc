#include "runner/detect/exact_leak.h"

#include <gtest/gtest.h>

#include <functional>

namespace torchsoak::runner {
namespace {

using contract::LeakResult;

constexpr std::int64_t kFull = 128;
constexpr std::int64_t kSmall = 16;

/// Live objects after step i, as a function of i; 4 bytes each.
using Live = std::function<std::int64_t(std::int64_t)>;

/// Every `epoch`-th step has the smaller batch, whose own buffers add two objects.
ExactLeak::Finding After(std::int64_t steps, std::int64_t epoch, const Live& live) {
  ExactLeak leak;
  for (std::int64_t i = 0; i < steps; ++i) {
    const bool small = epoch > 0 && i % epoch == epoch - 1;
    const std::int64_t objects = 35 + live(i) + (small ? 2 : 0);
    leak.Observe({i, small ? kSmall : kFull, objects, 4'000'000 + 4 * objects});
  }
  return leak.Conclude();
}

TEST(ExactLeak, SaysNothingWithoutSteps) {
  EXPECT_EQ(ExactLeak().Conclude().leak.result, LeakResult::kNotEnoughData);
}

TEST(ExactLeak, NeedsTwentyComparisons) {
  const Live none = [](std::int64_t) { return 0; };
  EXPECT_EQ(After(21, 0, none).leak.result, LeakResult::kNotEnoughData);
  EXPECT_EQ(After(22, 0, none).leak.result, LeakResult::kNone);
}

TEST(ExactLeak, AConstantCountIsClean) {
  const auto finding = After(1000, 79, [](std::int64_t) { return 0; });
  EXPECT_EQ(finding.leak.result, LeakResult::kNone);
  EXPECT_EQ(finding.leak.first_step, -1);
}

TEST(ExactLeak, GrowthDuringWarmUpIsClean) {
  const auto finding = After(100, 0, [](std::int64_t i) { return i < 3 ? i : 10; });
  EXPECT_EQ(finding.leak.result, LeakResult::kNone);
}

// Epochs of 79 steps, and lengths at which the odd batch breaks every run of equal differences.
class LeakAStep : public testing::TestWithParam<std::int64_t> {};

TEST_P(LeakAStep, IsFoundWithinAHundredSteps) {
  const auto finding = After(100, GetParam(), [](std::int64_t i) { return i; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.objects_per_step, 1);
  EXPECT_DOUBLE_EQ(finding.leak.bytes_per_step, 4);
  EXPECT_LE(finding.leak.first_step, 3);
}

INSTANTIATE_TEST_SUITE_P(EpochLengths, LeakAStep, testing::Values(0, 2, 3, 10, 21, 22, 30, 79));

TEST(ExactLeak, TellsTheStepFromWhichItLeaks) {
  const auto finding = After(600, 79, [](std::int64_t i) { return i < 500 ? 0 : i - 499; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_NEAR(static_cast<double>(finding.leak.first_step), 500, 1);
}

TEST(ExactLeak, TellsThePartOfTheStepWhoseAllocationsStay) {
  ExactLeak leak;
  for (std::int64_t i = 0; i < 60; ++i) {
    LiveSample sample{i, kFull, 35 + i, 4 * (35 + i), {}};
    sample.born = {20 - i / 2, 5, 10 + i + i / 2, 0, 0};  // one part gives what another takes over
    leak.Observe(sample);
  }
  EXPECT_EQ(leak.Conclude().born, StepPart::kForward);
  EXPECT_NE(leak.Conclude().explanation.find("part forward"), std::string::npos);
}

TEST(ExactLeak, WhereThePartIsNotKnownItIsNotNamed) {
  const auto finding = After(100, 0, [](std::int64_t i) { return i; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_FALSE(finding.born);
}

TEST(ExactLeak, FindsALeakEveryTenSteps) {
  const auto finding = After(200, 0, [](std::int64_t i) { return i / 10; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.objects_per_step, 0.1);
  EXPECT_DOUBLE_EQ(finding.leak.bytes_per_step, 0.4);
}

TEST(ExactLeak, FindsALeakThatIsRarerThanTheLongestPeriod) {
  const auto finding = After(1000, 79, [](std::int64_t i) { return i / 100; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_NEAR(finding.leak.objects_per_step, 0.01, 0.003);
}

TEST(ExactLeak, FindsALeakOfTheSmallerBatchAlone) {
  const auto finding = After(79 * 10, 79, [](std::int64_t i) { return (i + 1) / 79; });
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
}

TEST(ExactLeak, FindsBytesThatGrowWhileTheCountStays) {
  ExactLeak leak;
  for (std::int64_t i = 0; i < 60; ++i) leak.Observe({i, kFull, 35, 1000 + 4 * i});
  const auto finding = leak.Conclude();
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.objects_per_step, 0);
  EXPECT_DOUBLE_EQ(finding.leak.bytes_per_step, 4);
}

TEST(ExactLeak, ASawtoothOfAShortPeriodIsClean) {
  const auto finding = After(500, 0, [](std::int64_t i) { return i % 17; });
  EXPECT_EQ(finding.leak.result, LeakResult::kNone);
}

TEST(ExactLeak, ASawtoothOfALongPeriodIsNotCalledALeak) {
  const auto finding = After(1000, 0, [](std::int64_t i) { return (i * i) % 50; });
  EXPECT_NE(finding.leak.result, LeakResult::kFound);
}

TEST(ExactLeak, OneStepUpIsSuspectedOnly) {
  const auto finding = After(500, 79, [](std::int64_t i) { return i < 200 ? 0 : 3; });
  EXPECT_EQ(finding.leak.result, LeakResult::kSuspected);
  EXPECT_GT(finding.leak.first_step, 0);
}

TEST(ExactLeak, ACacheThatFillsAndThenStaysIsSuspectedOnly) {
  const auto finding = After(1000, 0, [](std::int64_t i) { return std::min<std::int64_t>(i, 60); });
  EXPECT_EQ(finding.leak.result, LeakResult::kSuspected);
}

TEST(ExactLeak, ThreeOldRisesAreNoLeak) {
  const auto finding =
      After(20'000, 0, [](std::int64_t i) { return std::min<std::int64_t>(i / 100, 3); });
  EXPECT_EQ(finding.leak.result, LeakResult::kSuspected);
}

TEST(ExactLeak, EveryStepOfAnotherShapeCannotBeCompared) {
  ExactLeak leak;
  for (std::int64_t i = 0; i < 200; ++i) leak.Observe({i, i, 35 + i % 7, 1000});
  const auto finding = leak.Conclude();
  EXPECT_EQ(finding.leak.result, LeakResult::kNotEnoughData);
  EXPECT_NE(finding.explanation.find("different shapes"), std::string::npos);
}

TEST(ExactLeak, CountsStepsBetweenRounds) {
  ExactLeak leak;  // rounds of 40 requests, each request leaks one object
  for (std::int64_t i = 0; i < 50; ++i) leak.Observe({40 * i, 0, 40 * i, 160 * i});
  const auto finding = leak.Conclude();
  EXPECT_EQ(finding.leak.result, LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.objects_per_step, 1);
}

}  // namespace
}  // namespace torchsoak::runner
