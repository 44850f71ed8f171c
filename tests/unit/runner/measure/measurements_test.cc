#include "runner/measure/measurements.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace torchsoak::runner {
namespace {

using contract::Mode;
using contract::Statistic;
using std::chrono::milliseconds;

void AddSteps(Measurements& measured, int count, double loss = 1.0) {
  for (int i = 0; i < count; ++i) {
    const auto at = measured.elapsed() + milliseconds(10);
    const std::array<std::int64_t, 1> latency = {10'000'000};
    MeasuredStep step;
    step.at = at;
    step.work = 128;
    step.loss = loss;
    step.latencies_ns = latency;
    step.memory = {35, 1000, 2000, 3000};
    measured.Add(step);
  }
}

TEST(Measurements, EveryMetricOfTheModeIsThereAndUndefinedOnesHaveNoValue) {
  const Measurements measured(Mode::kTraining);
  const auto metrics = measured.Metrics();
  EXPECT_GT(metrics.size(), 10U);
  for (const auto& metric : metrics) {
    EXPECT_FALSE(metric.value) << metric.name;
    EXPECT_EQ(metric.samples, 0) << metric.name;
  }
}

// A metric that nothing measures would be a threshold that nobody can meet.
TEST(Measurements, EveryMetricOfEveryModeHasAValueAfterAnEpoch) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    Measurements measured(mode.mode);
    AddSteps(measured, 30);
    measured.AddEpoch({1, 30, milliseconds(300), 1, 1, 3000});
    measured.AddProcess(milliseconds(300), {1 << 20, 1 << 19, 12, 3});
    for (const auto& metric : measured.Metrics()) {
      EXPECT_TRUE(metric.value) << metric.name << " " << contract::ToString(metric.statistic);
      EXPECT_GT(metric.samples, 0) << metric.name;
    }
  }
}

TEST(Measurements, WithoutSamplesThereIsNoRateUnlessAllFailed) {
  Measurements measured(Mode::kInference);
  MeasuredStep step;
  step.at = milliseconds(100);
  measured.Add(step);
  EXPECT_FALSE(measured.Value("inference.samplesPerSecond", Statistic::kMean).value);
  step.at = milliseconds(200);
  step.errors = 1;
  measured.Add(step);
  EXPECT_EQ(measured.Value("inference.samplesPerSecond", Statistic::kMean).value, 0.0);
}

TEST(Measurements, UnitsAreSecondsAndBytes) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 30);
  EXPECT_NEAR(*measured.Value("training.stepTime", Statistic::kP50).value, 0.01, 1e-5);
  EXPECT_NEAR(*measured.Value("training.samplesPerSecond", Statistic::kMean).value, 12'800, 1);
  EXPECT_EQ(*measured.Value("memory.allocated", Statistic::kMax).value, 2000);
  EXPECT_EQ(*measured.Value("memory.peakAllocated", Statistic::kMax).value, 3000);
}

TEST(Measurements, ANonFiniteLossIsAFindingAndNoNumber) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 5, 2.0);
  AddSteps(measured, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(measured.non_finite_step(), 5);
  for (const Statistic one : {Statistic::kLast, Statistic::kMin, Statistic::kMax}) {
    EXPECT_FALSE(measured.Value("training.loss", one).value) << ToString(one);
  }
  EXPECT_EQ(measured.loss().left_out(), 1);
}

TEST(Measurements, SkippedUpdatesAreCountedOnlyWhereTheyMayHappen) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 3);
  EXPECT_EQ(measured.skipped_updates().possible, 0);
  for (const bool updated : {false, false, true, false}) {
    MeasuredStep step;
    step.updated = updated;
    measured.Add(step);
  }
  EXPECT_EQ(measured.skipped_updates().possible, 4);
  EXPECT_EQ(measured.skipped_updates().skipped, 3);
  EXPECT_EQ(measured.skipped_updates().longest, 2);
}

TEST(Measurements, TheErrorRateCountsAllRequests) {
  Measurements measured(Mode::kInference);
  EXPECT_FALSE(measured.Value("inference.errorRate", Statistic::kMean).value);
  MeasuredStep round;
  round.at = milliseconds(100);
  round.steps = 20;
  round.errors = 5;
  measured.Add(round);
  EXPECT_DOUBLE_EQ(*measured.Value("inference.errorRate", Statistic::kMean).value, 0.25);
}

TEST(Measurements, TheTrendNeedsTwoHundredLosses) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 199, 2.0);
  EXPECT_FALSE(measured.Trend());
  AddSteps(measured, 20, 0.5);
  ASSERT_TRUE(measured.Trend());
  EXPECT_DOUBLE_EQ(measured.Trend()->start, 2.0);
  EXPECT_DOUBLE_EQ(measured.Trend()->end, 0.5);
}

TEST(Measurements, TheLossTraceBeginsWithTheWarmUpAndHasItsEnd) {
  Measurements measured(contract::Mode::kTraining);
  measured.AddWarmupLoss(4);
  MeasuredStep step;
  for (int i = 0; i < 1500; ++i) {
    step.loss = i;
    measured.Add(step);
  }
  ASSERT_EQ(measured.loss_trace().size(), 1000U);
  EXPECT_EQ(measured.loss_trace()[0], 4);
  EXPECT_EQ(measured.loss_trace()[1], 0);
  EXPECT_EQ(measured.loss_trace().back(), 998);
}

TEST(Measurements, TheTrendStartsInTheWarmUp) {
  Measurements measured(Mode::kTraining);
  for (int i = 0; i < 100; ++i) measured.AddWarmupLoss(4.0);
  AddSteps(measured, 100, 1.0);
  ASSERT_TRUE(measured.Trend());
  EXPECT_DOUBLE_EQ(measured.Trend()->start, 4.0);
}

TEST(Measurements, TracesEveryFiftiethStepAndStaysBounded) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 120);
  ASSERT_EQ(measured.trace().size(), 2U);
  EXPECT_EQ(measured.trace()[1].step, 100);
  AddSteps(measured, 60'000);
  EXPECT_LE(measured.trace().size(), 512U);
  EXPECT_EQ(measured.trace().back().step % 100, 0);
}

TEST(Measurements, ACopyIsASnapshot) {
  Measurements measured(Mode::kTraining);
  AddSteps(measured, 10);
  const Measurements copy = measured;
  AddSteps(measured, 10);
  EXPECT_EQ(copy.steps(), 10);
  EXPECT_EQ(copy.latency().count(), 10);
}

}  // namespace
}  // namespace torchsoak::runner
