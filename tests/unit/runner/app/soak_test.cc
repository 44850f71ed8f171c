#include "runner/app/soak.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SoakTest : public testing::Test {
 protected:
  /// Each step takes 10 ms.
  Measurements& Run(const contract::Spec& spec, const FakeStep& step = GoodStep) {
    workload_ = std::make_unique<FakeWorkload>([this, step](std::int64_t i) {
      clock_.Advance(milliseconds(10));
      return step(i);
    });
    Soak(spec, *workload_, device_, recorder_, stop_).Run();
    return *recorder_.measurements();
  }

  fakes::FakeClock clock_;
  Heartbeat heartbeat_;
  Board board_;
  Recorder recorder_{clock_, heartbeat_, board_};
  FakeDevice device_;
  std::atomic<bool> stop_{false};
  std::unique_ptr<FakeWorkload> workload_;
};

TEST_F(SoakTest, StopsAfterTheIterations) {
  EXPECT_EQ(Run(FakeTraining(25)).steps(), 25);
  EXPECT_TRUE(recorder_.draft().completed);
}

TEST_F(SoakTest, StopsAfterTheDuration) {
  contract::Spec spec = FakeTraining(1'000'000);
  spec.duration = seconds(2);
  const Measurements& measured = Run(spec);
  EXPECT_EQ(measured.steps(), 200);
  EXPECT_EQ(measured.elapsed(), seconds(2));
}

TEST_F(SoakTest, StopsAfterTheLastBlock) {
  contract::Spec spec = FakeTraining(1'000'000);
  spec.max_iterations.reset();
  spec.mode = contract::Mode::kBenchmark;
  spec.warmup = milliseconds(100);  // ten blocks, of which the seventh would be the last
  const Measurements& measured = Run(spec, [](std::int64_t i) -> Expected<StepReport> {
    StepReport report;
    report.steps = 5;
    report.block = Block{milliseconds(10), i == 6 || i == 13, i != 13};
    return report;
  });
  EXPECT_EQ(measured.steps(), 20);
  EXPECT_EQ(measured.blocks().seconds(), (std::vector<double>{0.002, 0.002, 0.002, 0.002}));
  EXPECT_EQ(measured.latency().count(), 4);
  EXPECT_FALSE(measured.blocks().settled());
  EXPECT_TRUE(recorder_.draft().completed);
}

TEST_F(SoakTest, StopsAfterTheEpochs) {
  contract::Spec spec = FakeTraining(1'000'000);
  spec.training.epochs = 3;
  const Measurements& measured = Run(spec, [](std::int64_t i) -> Expected<StepReport> {
    StepReport report = GoodStep(i);
    report.epoch_finished = i % 10 == 9;
    return report;
  });
  EXPECT_EQ(measured.steps(), 30);
  ASSERT_EQ(measured.epochs().size(), 3U);
  EXPECT_EQ(measured.epochs()[1].duration, milliseconds(100));
  EXPECT_EQ(measured.epochs()[1].steps, 10);
  EXPECT_EQ(device_.peak_resets, 4);  // before the first and after each
}

TEST_F(SoakTest, WarmUpIsNotMeasured) {
  contract::Spec spec = FakeTraining(5);
  spec.warmup = seconds(1);
  const Measurements& measured = Run(spec);
  EXPECT_EQ(recorder_.draft().warmup_steps, 100);
  EXPECT_EQ(measured.steps(), 5);
  EXPECT_EQ(measured.latency().count(), 5);
  EXPECT_EQ(workload_->begun, 1);
}

TEST_F(SoakTest, AWrongResultOfTheWarmUpCounts) {
  contract::Spec spec = FakeTraining(10);
  spec.warmup = seconds(1);
  const Measurements& measured = Run(spec, [](std::int64_t i) -> Expected<StepReport> {
    StepReport report = GoodStep(i);
    report.checked = {1, i == 0 ? 1 : 0, 0, i == 0 ? "the first product is wrong" : ""};
    return report;
  });
  EXPECT_EQ(measured.checks().results, 110);
  EXPECT_EQ(measured.checks().wrong, 1);
  EXPECT_EQ(measured.checks().detail, "the first product is wrong");
}

TEST_F(SoakTest, StepTimeIsTheTimeOfTheCall) {
  EXPECT_EQ(Run(FakeTraining(5)).latency().min(), 10'000'000);
}

TEST_F(SoakTest, StopsAtTheFirstLossThatIsNotFinite) {
  const Measurements& measured =
      Run(FakeTraining(1000), [](std::int64_t i) -> Expected<StepReport> {
        StepReport report = GoodStep(i);
        if (i == 17) report.loss = std::numeric_limits<double>::infinity();
        return report;
      });
  EXPECT_EQ(measured.steps(), 18);
  EXPECT_EQ(measured.non_finite_step(), 17);
  EXPECT_TRUE(recorder_.draft().completed);
}

TEST_F(SoakTest, GoesOnPastNaNWhenNobodyAsked) {
  contract::Spec spec = FakeTraining(50);
  spec.training.checks.clear();
  const Measurements& measured = Run(spec, [](std::int64_t i) -> Expected<StepReport> {
    StepReport report = GoodStep(i);
    report.loss = std::numeric_limits<double>::quiet_NaN();
    return report;
  });
  EXPECT_EQ(measured.steps(), 50);
}

TEST_F(SoakTest, OutOfMemoryWhileMeasuringIsAFailure) {
  Run(FakeTraining(1000), [](std::int64_t i) -> Expected<StepReport> {
    if (i == 3) return Fail(ErrorCode::kTooLarge, "out of memory: tried to allocate 2 GiB");
    return GoodStep(i);
  });
  ASSERT_TRUE(recorder_.draft().outcome);
  EXPECT_EQ(recorder_.draft().outcome->verdict, contract::Verdict::kFailed);
  EXPECT_EQ(recorder_.draft().outcome->reason, contract::Reason::kOOMKilled);
}

TEST_F(SoakTest, AnErrorOfTheFirstStepIsAnError) {
  Run(FakeTraining(1000), [](std::int64_t) -> Expected<StepReport> {
    return Fail(ErrorCode::kInternal, "no kernel image");
  });
  ASSERT_TRUE(recorder_.draft().outcome);
  EXPECT_EQ(recorder_.draft().outcome->verdict, contract::Verdict::kError);
}

TEST_F(SoakTest, StopsAtTheStepBoundary) {
  const Measurements& measured =
      Run(FakeTraining(1000), [this](std::int64_t i) -> Expected<StepReport> {
        stop_ = i == 9;
        return GoodStep(i);
      });
  EXPECT_EQ(measured.steps(), 10);
  EXPECT_FALSE(recorder_.draft().completed);
}

TEST_F(SoakTest, FindsALeakFromTheDevicesCounts) {
  const Measurements& measured =
      Run(FakeTraining(100), [this](std::int64_t i) -> Expected<StepReport> {
        ++device_.memory.objects;
        device_.memory.requested += 4;
        return GoodStep(i);
      });
  const auto finding = measured.leak().Conclude();
  EXPECT_EQ(finding.leak.result, contract::LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.bytes_per_step, 4);
}

TEST_F(SoakTest, PublishesTheFirstStepAtOnce) {
  Run(FakeTraining(5), [this](std::int64_t i) -> Expected<StepReport> {
    if (i == 1) {
      EXPECT_EQ(board_.TryLatest()->measured->steps(), 1);
    }
    return GoodStep(i);
  });
}

}  // namespace
}  // namespace torchsoak::runner
