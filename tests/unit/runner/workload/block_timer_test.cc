#include "runner/workload/block_timer.h"

#include <gtest/gtest.h>

#include <vector>

namespace torchsoak::runner {
namespace {

using contract::TimerMethod;
using contract::TimerSpec;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

/// A machine on which a run takes `each`, and starting and ending a block `overhead`.
struct Machine {
  nanoseconds each;
  nanoseconds overhead{50};
  std::vector<std::int64_t> asked;

  BlockTimer::TimeBlock Time() {
    return [this](std::int64_t runs) {
      asked.push_back(runs);
      return overhead + runs * each;
    };
  }
};

std::int64_t BlockOf(TimerSpec spec, nanoseconds each) {
  Machine machine{each, nanoseconds(50), {}};
  BlockTimer timer(spec);
  timer.Calibrate(machine.Time());
  return timer.Next();
}

TimerSpec Adaptive() {
  TimerSpec spec;
  spec.method = TimerMethod::kAdaptiveAutorange;
  spec.min_run_time = milliseconds(10);
  return spec;
}

// 5 s of blocks: a block is to be 5 ms, and 10 000 times the clock's 50 ns, which is 0.5 ms.
TEST(BlockTimer, ABlockIsLongEnoughForTheClock) {
  const TimerSpec spec;
  EXPECT_EQ(BlockOf(spec, nanoseconds(100)), 100'000);
  EXPECT_EQ(BlockOf(spec, milliseconds(1)), 10);
  EXPECT_EQ(BlockOf(spec, milliseconds(20)), 1);
  EXPECT_EQ(BlockOf(spec, seconds(20)), 1);
  EXPECT_EQ(BlockOf(Adaptive(), milliseconds(1)), 1);  // 0.5 ms and 50 us are enough
}

TEST(BlockTimer, ABlockIsNotLongerThanSomeSeconds) {
  TimerSpec spec;
  spec.min_run_time = std::chrono::hours(1);  // a thousandth would be 3.6 s
  EXPECT_EQ(BlockOf(spec, milliseconds(60)), 10);
  EXPECT_EQ(BlockOf(spec, milliseconds(600)), 1);
}

TEST(BlockTimer, TheFirstRunIsNotCounted) {
  Machine machine{milliseconds(20), nanoseconds(50), {}};
  BlockTimer timer((TimerSpec()));
  timer.Calibrate(machine.Time());
  EXPECT_EQ(machine.asked, (std::vector<std::int64_t>{1, 0, 0, 0, 0, 0, 1}));
  EXPECT_FALSE(timer.finished());
}

TEST(BlockTimer, BlocksUntilTheLeastRunTime) {
  BlockTimer timer((TimerSpec()));
  for (int i = 0; i < 4; ++i) {
    timer.Add(10, seconds(1));
    EXPECT_FALSE(timer.finished());
  }
  timer.Add(10, seconds(1));
  EXPECT_TRUE(timer.finished());
  EXPECT_TRUE(timer.settled());
}

TEST(BlockTimer, TimeitMakesExactlyTheNumberInPieces) {
  TimerSpec spec;
  spec.method = TimerMethod::kTimeit;
  Machine machine{milliseconds(3), nanoseconds(50), {}};
  BlockTimer timer(spec);
  timer.Calibrate(machine.Time());
  EXPECT_EQ(machine.asked, std::vector<std::int64_t>{2});  // its warm-up
  std::vector<std::int64_t> pieces;
  while (!timer.finished()) {
    pieces.push_back(timer.Next());
    timer.Add(timer.Next(), milliseconds(100));
  }
  EXPECT_EQ(pieces, (std::vector<std::int64_t>{33, 33, 33, 1}));
  EXPECT_GE(timer.Next(), 1);
}

TEST(BlockTimer, TimeitOfManyRunsHasAtMostTenThousandPieces) {
  TimerSpec spec;
  spec.method = TimerMethod::kTimeit;
  spec.number = 100'000;
  EXPECT_EQ(BlockOf(spec, seconds(1)), 10);
}

TEST(BlockTimer, AdaptiveEndsWhenTheBlocksAgree) {
  BlockTimer timer(Adaptive());
  for (int i = 0; i < 3; ++i) {
    timer.Add(1, milliseconds(100));
    EXPECT_FALSE(timer.finished()) << "more than three blocks are wanted";
  }
  timer.Add(1, milliseconds(100));
  EXPECT_TRUE(timer.finished());
  EXPECT_TRUE(timer.settled());
}

TEST(BlockTimer, AdaptiveGoesOnWhileTheyDoNot) {
  BlockTimer timer(Adaptive());
  const int times[] = {100, 200, 100, 200};
  for (const int time : times) timer.Add(1, milliseconds(time));
  EXPECT_FALSE(timer.finished());
  for (int i = 0; i < 20 && !timer.finished(); ++i) timer.Add(1, milliseconds(100));
  EXPECT_TRUE(timer.finished());
  EXPECT_TRUE(timer.settled());
}

TEST(BlockTimer, AdaptiveGivesUp) {
  BlockTimer timer(Adaptive());
  int blocks = 0;
  while (!timer.finished() && blocks < 1000) timer.Add(1, milliseconds(++blocks % 2 ? 100 : 200));
  EXPECT_TRUE(timer.finished());
  EXPECT_FALSE(timer.settled());
  EXPECT_EQ(blocks, 68);  // 67 are 10 s, which are to be passed
  timer.Restart();
  EXPECT_FALSE(timer.finished());
  EXPECT_TRUE(timer.settled());
}

}  // namespace
}  // namespace torchsoak::runner
