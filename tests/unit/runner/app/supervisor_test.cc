#include "runner/app/supervisor.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SupervisorTest : public testing::Test {
 protected:
  SupervisorTest() { Publish(0); }

  void Publish(int steps) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->phase = Phase::kMeasure;
    auto measured = std::make_shared<Measurements>(contract::Mode::kTraining);
    for (int i = 0; i < steps; ++i) measured->Add({});
    snapshot->measured = measured;
    board_.Publish(snapshot);
  }

  std::unique_ptr<Supervisor> Start() {
    Supervisor::Settings settings;
    settings.limits.stall = seconds(60);
    auto supervisor = std::make_unique<Supervisor>(
        clock_, board_, heartbeat_, [this] { return signals_.load(); }, settings,
        Supervisor::Actions{[this](const Snapshot&) { ++checkpoints_; },
                            [this](const Snapshot&, std::int64_t) { ++shown_; },
                            [this](const Snapshot& snapshot, const End& end) {
                              flushed_steps_ = snapshot.measured->steps();
                              cause_ = end.cause;
                              ++flushes_;
                            }});
    clock_.AwaitSleepers(1);
    return supervisor;
  }

  /// Lets the supervisor look every 100 ms for `time`.
  void Pass(milliseconds time) {
    for (milliseconds at{0}; at < time; at += milliseconds(100)) {
      clock_.Advance(milliseconds(100));
      if (flushes_ > 0) return;
      clock_.AwaitSleepers(1);
    }
  }

  fakes::FakeClock clock_;
  Board board_;
  Heartbeat heartbeat_;
  std::atomic<int> signals_{0};
  std::atomic<int> checkpoints_{0};
  std::atomic<int> shown_{0};
  std::atomic<int> flushes_{0};
  std::atomic<std::int64_t> flushed_steps_{-1};
  std::atomic<End::Cause> cause_{End::Cause::kDone};
};

TEST_F(SupervisorTest, WritesACheckpointAtOnceThenEveryTenSeconds) {
  const auto supervisor = Start();
  EXPECT_EQ(checkpoints_, 1);
  Pass(seconds(9));
  EXPECT_EQ(checkpoints_, 1);
  Pass(seconds(1));
  EXPECT_EQ(checkpoints_, 2);
  EXPECT_EQ(shown_, 1);
}

TEST_F(SupervisorTest, WritesACheckpointWhenMeasuringBegins) {
  const auto supervisor = Start();
  Publish(1);
  Pass(milliseconds(100));
  EXPECT_EQ(checkpoints_, 2);
}

TEST_F(SupervisorTest, ASignalAsksTheMeasuringThreadToStop) {
  const auto supervisor = Start();
  signals_ = 1;
  Pass(milliseconds(200));
  EXPECT_TRUE(supervisor->stop());
  const auto end = supervisor->TakeOver();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->cause, End::Cause::kSignal);
  EXPECT_EQ(flushes_, 0);
}

TEST_F(SupervisorTest, FlushesTheLatestSnapshotWhenAStepHangsAfterASignal) {
  const auto supervisor = Start();
  Publish(3);
  signals_ = 1;
  Pass(seconds(10));
  EXPECT_FALSE(supervisor->TakeOver());
  EXPECT_EQ(flushes_, 1);
  EXPECT_EQ(flushed_steps_, 3);
  EXPECT_EQ(cause_, End::Cause::kSignal);
}

TEST_F(SupervisorTest, FlushesAStall) {
  const auto supervisor = Start();
  Pass(seconds(70));
  EXPECT_FALSE(supervisor->TakeOver());
  EXPECT_EQ(cause_, End::Cause::kStalled);
}

TEST_F(SupervisorTest, OnlyOneOfTheTwoWritesTheResult) {
  const auto supervisor = Start();
  EXPECT_TRUE(supervisor->TakeOver());
  EXPECT_EQ(flushes_, 0);
}

}  // namespace
}  // namespace torchsoak::runner
