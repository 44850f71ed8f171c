#include "runner/app/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <limits>
#include <stdexcept>

#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

using contract::Reason;
using contract::Verdict;
using std::chrono::milliseconds;

class FakeDelivery final : public Delivery {
 public:
  void Checkpoint(const contract::RunResult&) override { ++checkpoints; }
  void Show(const contract::Spec&, const Progress&) override {}
  std::chrono::nanoseconds ProgressEvery() const override { return milliseconds(200); }
  void Finish(contract::RunResult result, const PackedReport* report) override {
    final = std::move(result);
    if (report != nullptr) json = report->json;
    ++finishes;
  }

  std::atomic<int> checkpoints{0};
  std::atomic<int> finishes{0};
  contract::RunResult final;
  std::string json;
};

class SessionTest : public testing::Test {
 protected:
  int Run(const contract::Spec& spec) {
    RunFacts facts{{}, spec, {}, clock_->Wall()};
    facts.run.test = "session";
    return RunSession(facts, {*clock_, backend_, delivery_, [this] { return stops_.load(); },
                              [this](int code) { OnExit(code); }, enforce_run_timeout_});
  }
  void OnExit(int code) {
    exit_ = code;
    exited_.set_value();
  }
  const contract::Outcome& outcome() { return *delivery_.final.core.outcome; }

  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  FakeBackend backend_;
  FakeDelivery delivery_;
  std::atomic<int> stops_{0};
  bool enforce_run_timeout_ = false;
  std::atomic<int> exit_{-1};
  std::promise<void> exited_;
};

TEST_F(SessionTest, AHealthyRunPasses) {
  EXPECT_EQ(Run(FakeTraining(50)), 0);
  EXPECT_EQ(outcome().reason, Reason::kAllGatesMet);
  EXPECT_EQ(delivery_.finishes, 1);
  EXPECT_EQ(delivery_.final.core.steps, 50);
  const auto report = ParseJson(delivery_.json);
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["workload"]["kind"], "Fake");
}

TEST_F(SessionTest, APreflightTestPassesWithoutSteps) {
  contract::Spec spec = FakeTraining(1);
  spec.mode = contract::Mode::kPreflight;
  spec.max_iterations.reset();
  EXPECT_EQ(Run(spec), 0);
}

TEST_F(SessionTest, AMismatchIsCodeFour) {
  contract::Spec spec = FakeTraining(50);
  spec.gpu.per_pod = 1;
  EXPECT_EQ(Run(spec), 4);
  EXPECT_EQ(outcome().reason, Reason::kDeviceCountMismatch);
}

TEST_F(SessionTest, ABlindDetectorForbidsAPass) {
  backend_.counting = false;
  EXPECT_EQ(Run(FakeTraining(50)), 4);
  EXPECT_EQ(outcome().verdict, Verdict::kError);
  EXPECT_EQ(outcome().reason, Reason::kPreflightFailed);
  EXPECT_THAT(outcome().message, testing::HasSubstr("ExactLeak did not see"));
  const auto report = ParseJson(delivery_.json);
  ASSERT_TRUE(report);
  EXPECT_EQ((*report)["canaries"][0]["state"], "dead");
}

TEST_F(SessionTest, AModelThatDoesNotFitIsAnError) {
  backend_.prepared = Fail(ErrorCode::kTooLarge, "out of memory");
  EXPECT_EQ(Run(FakeTraining(50)), 4);
  EXPECT_EQ(outcome().reason, Reason::kOOMKilled);
}

TEST_F(SessionTest, AnExceptionIsACrashWithItsWords) {
  backend_.step = [](std::int64_t i) -> Expected<StepReport> {
    if (i == 30) throw std::runtime_error("surprise");
    return GoodStep(i);
  };
  EXPECT_EQ(Run(FakeTraining(50)), 1);
  EXPECT_EQ(outcome().reason, Reason::kRunnerCrashed);
  EXPECT_THAT(outcome().message, testing::HasSubstr("surprise"));
}

TEST_F(SessionTest, ASignalGivesAPartialResult) {
  backend_.step = [this](std::int64_t i) -> Expected<StepReport> {
    if (i == 30) stops_ = 1;
    (void)clock_->Sleep(milliseconds(i < 30 ? 0 : 10), {});
    return GoodStep(i);
  };
  EXPECT_EQ(Run(FakeTraining(1'000'000)), 3);
  EXPECT_EQ(outcome().verdict, Verdict::kInconclusive);
  EXPECT_TRUE(delivery_.final.core.partial);
  EXPECT_GE(delivery_.final.core.steps, 30);
}

TEST_F(SessionTest, ARunTimeoutIsEnforcedWhereAskedFor) {
  enforce_run_timeout_ = true;
  contract::Spec spec = FakeTraining(1'000'000);
  spec.timeouts.run = milliseconds(300);
  backend_.step = [this](std::int64_t i) -> Expected<StepReport> {
    (void)clock_->Sleep(milliseconds(5), {});
    return GoodStep(i);
  };
  EXPECT_EQ(Run(spec), 124);
  EXPECT_EQ(outcome().reason, Reason::kRunTimeout);
}

TEST_F(SessionTest, AHungStepIsFlushedAsStalledWithThePartialNumbers) {
  contract::Spec spec = FakeTraining(1'000'000);
  spec.timeouts.stall = milliseconds(300);
  backend_.step = [this](std::int64_t i) -> Expected<StepReport> {
    if (i == 30) exited_.get_future().wait();  // hangs until the process would have ended
    return GoodStep(i);
  };
  EXPECT_EQ(Run(spec), 124);
  EXPECT_EQ(exit_, 124);
  EXPECT_EQ(delivery_.finishes, 1);
  EXPECT_EQ(outcome().verdict, Verdict::kFailed);
  EXPECT_EQ(outcome().reason, Reason::kStalled);
  EXPECT_THAT(outcome().message, testing::HasSubstr("step 30"));
  EXPECT_GE(delivery_.final.core.steps, 1);
  EXPECT_FALSE(delivery_.json.empty());
}

TEST_F(SessionTest, TheSecondSignalDoesNotWaitForAHungStep) {
  backend_.step = [this](std::int64_t i) -> Expected<StepReport> {
    if (i == 30) {
      stops_ = 2;
      exited_.get_future().wait();
    }
    return GoodStep(i);
  };
  EXPECT_EQ(Run(FakeTraining(1'000'000)), 3) << outcome().message;
  EXPECT_EQ(delivery_.finishes, 1);
}

TEST_F(SessionTest, CheckpointsComeWhenMeasuringBegins) {
  backend_.step = [this](std::int64_t i) -> Expected<StepReport> {
    (void)clock_->Sleep(milliseconds(10), {});
    return GoodStep(i);
  };
  Run(FakeTraining(60));
  EXPECT_GE(delivery_.checkpoints, 2);
}

}  // namespace
}  // namespace torchsoak::runner
