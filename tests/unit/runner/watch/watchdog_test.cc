#include "runner/watch/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Order = Watchdog::Order;

constexpr BootTime kStart = std::chrono::hours(24);

Watchdog::Limits Limits() {
  Watchdog::Limits limits;
  limits.stall = seconds(10);
  return limits;
}

Watchdog::Look At(milliseconds since_start, std::uint64_t beats, int signals = 0,
                  Phase phase = Phase::kMeasure) {
  return {kStart + since_start, beats, phase, 17, signals};
}

/// Looks every 100 ms from `from` until `until` with the same beat; the last decision.
Watchdog::Decision Silent(Watchdog& dog, milliseconds from, milliseconds until, int signals = 0,
                          Phase phase = Phase::kMeasure) {
  Watchdog::Decision decision;
  for (milliseconds at = from; at <= until; at += milliseconds(100)) {
    decision = dog.Check(At(at, 5, signals, phase));
    if (decision.order == Order::kFlush) break;
  }
  return decision;
}

TEST(Watchdog, IsQuietWhileStepsFinish) {
  Watchdog dog(Limits(), kStart);
  for (int i = 1; i < 1000; ++i) {
    EXPECT_EQ(dog.Check(At(milliseconds(500 * i), static_cast<std::uint64_t>(i))).order,
              Order::kNone);
  }
}

TEST(Watchdog, FlushesAfterTheStallTimeAndSaysPhaseAndStep) {
  Watchdog dog(Limits(), kStart);
  EXPECT_EQ(Silent(dog, seconds(0), milliseconds(9900)).order, Order::kNone);
  const auto decision = Silent(dog, seconds(10), seconds(11));
  EXPECT_EQ(decision.order, Order::kFlush);
  EXPECT_EQ(decision.end.cause, End::Cause::kStalled);
  EXPECT_EQ(decision.end.detail, "step 17 of phase measured did not finish in 10s");
  EXPECT_GE(decision.end.stalled, seconds(10));
}

TEST(Watchdog, CoversThePhasesBeforeTheFirstStep) {
  Watchdog dog(Limits(), kStart);
  const auto decision = Silent(dog, seconds(0), seconds(20), 0, Phase::kPrepare);
  EXPECT_EQ(decision.order, Order::kFlush);
  EXPECT_THAT(decision.end.detail, testing::HasSubstr("phase prepare"));
}

TEST(Watchdog, ABeatStartsTheTimeAnew) {
  Watchdog dog(Limits(), kStart);
  Silent(dog, seconds(0), seconds(9));
  dog.Check(At(milliseconds(9050), 6));
  EXPECT_EQ(dog.Check(At(seconds(11), 6)).order, Order::kNone);
}

TEST(Watchdog, TimeInWhichNobodyLookedIsNotAStall) {
  Watchdog dog(Limits(), kStart);
  dog.Check(At(seconds(1), 5));
  // The laptop slept for an hour, or the process was stopped.
  EXPECT_EQ(dog.Check(At(std::chrono::hours(1), 5)).order, Order::kNone);
}

TEST(Watchdog, ASignalStopsAtTheNextStep) {
  Watchdog dog(Limits(), kStart);
  const auto decision = dog.Check(At(seconds(1), 5, 1));
  EXPECT_EQ(decision.order, Order::kStop);
  EXPECT_EQ(decision.end.cause, End::Cause::kSignal);
}

TEST(Watchdog, AHungStepIsNotWaitedForAfterASignal) {
  Watchdog dog(Limits(), kStart);
  const auto decision = Silent(dog, seconds(0), seconds(9), 1);
  EXPECT_EQ(decision.order, Order::kFlush);
  EXPECT_EQ(decision.end.cause, End::Cause::kSignal);
}

TEST(Watchdog, TheSecondSignalDoesNotWait) {
  Watchdog dog(Limits(), kStart);
  dog.Check(At(seconds(1), 5, 1));
  EXPECT_EQ(dog.Check(At(milliseconds(1100), 5, 2)).order, Order::kFlush);
}

TEST(Watchdog, TheRunLimitStopsTheRun) {
  Watchdog::Limits limits = Limits();
  limits.run = seconds(30);
  Watchdog dog(limits, kStart);
  EXPECT_EQ(dog.Check(At(milliseconds(29'900), 5)).order, Order::kNone);
  const auto decision = dog.Check(At(seconds(30), 6));
  EXPECT_EQ(decision.order, Order::kStop);
  EXPECT_EQ(decision.end.cause, End::Cause::kRunTimeout);
  EXPECT_EQ(dog.Check(At(seconds(35), 7)).order, Order::kFlush);
}

TEST(Watchdog, LeavesTheFlushAlone) {
  Watchdog dog(Limits(), kStart);
  EXPECT_EQ(Silent(dog, seconds(0), seconds(60), 2, Phase::kFlush).order, Order::kNone);
}

}  // namespace
}  // namespace torchsoak::runner
