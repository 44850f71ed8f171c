#include "runner/app/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

Snapshot Measured(int steps) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kTraining);
  for (int i = 0; i < steps; ++i) {
    MeasuredStep step;
    step.at = std::chrono::seconds(i + 1);
    step.work = 100;
    step.loss = 0.5;
    step.memory = {1, 1 << 20, 1 << 20, 2 << 20};
    measured->Add(step);
  }
  Snapshot snapshot;
  snapshot.phase = Phase::kMeasure;
  snapshot.measured = measured;
  return snapshot;
}

TEST(Progress, TheNearestLimitCounts) {
  contract::Spec spec = FakeTraining(100);
  spec.duration = std::chrono::seconds(20);
  const Progress progress = ProgressOf(spec, Measured(10), 10);
  EXPECT_DOUBLE_EQ(*progress.fraction, 0.5);
  EXPECT_DOUBLE_EQ(*progress.eta_seconds, 10);
}

TEST(Progress, BeforeMeasuringThereIsOnlyThePhase) {
  Snapshot snapshot;
  snapshot.phase = Phase::kPrepare;
  const Progress progress = ProgressOf(FakeTraining(100), snapshot, 0);
  EXPECT_FALSE(progress.fraction);
  EXPECT_EQ(ProgressText(FakeTraining(100), progress), "prepare");
}

TEST(Progress, TheTextHasRateLossAndMemory) {
  const contract::Spec spec = FakeTraining(100);
  const std::string text = ProgressText(spec, ProgressOf(spec, Measured(10), 10));
  EXPECT_THAT(text, HasSubstr("10%"));
  EXPECT_THAT(text, HasSubstr("step 10"));
  EXPECT_THAT(text, HasSubstr("loss 0.5"));
  EXPECT_THAT(text, HasSubstr("100/s"));
  EXPECT_THAT(text, HasSubstr("1MiB (peak 2MiB)"));
}

TEST(Progress, TheJsonHasTheSame) {
  const Json json = ProgressJson(ProgressOf(FakeTraining(100), Measured(10), 10));
  EXPECT_EQ(json["percent"], 10);
  EXPECT_EQ(json["step"], 10);
  EXPECT_DOUBLE_EQ(json["samplesPerSecond"].get<double>(), 100);
}

}  // namespace
}  // namespace torchsoak::runner
