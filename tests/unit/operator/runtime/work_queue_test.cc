#include "operator/runtime/work_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::runtime {
namespace {

using namespace std::chrono_literals;
using k8s::ObjectKey;

const ObjectKey kA{"n", "a"};
const ObjectKey kB{"n", "b"};

class WorkQueueTest : public ::testing::Test {
 protected:
  /// Moves the clock when the delay thread sleeps, and waits until it sleeps again.
  void Pass(std::chrono::nanoseconds time) {
    clock_.AwaitSleepers(1);
    clock_.Advance(time);
    clock_.AwaitSleepers(1);
  }

  fakes::FakeClock clock_;
  WorkQueue queue_{clock_};
};

TEST_F(WorkQueueTest, GivesKeysInOrderAndOnceEach) {
  queue_.Add(kB);
  queue_.Add(kA);
  queue_.Add(kB);
  EXPECT_EQ(queue_.Depth(), 2U);
  EXPECT_EQ(queue_.Get(), kB);
  EXPECT_EQ(queue_.Get(), kA);
  EXPECT_EQ(queue_.Depth(), 0U);
}

TEST_F(WorkQueueTest, KeyInWorkIsQueuedAgainOnlyWhenDone) {
  queue_.Add(kA);
  queue_.Get();
  queue_.Add(kA);
  queue_.Add(kA);
  EXPECT_EQ(queue_.Depth(), 0U) << "never twice at once";
  queue_.Done(kA);
  EXPECT_EQ(queue_.Depth(), 1U);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Done(kA);
  EXPECT_EQ(queue_.Depth(), 0U);
}

TEST_F(WorkQueueTest, DoneOfAKeyThatIsNotInWorkIsNothing) {
  queue_.Done(kA);
  queue_.Add(kA);
  queue_.Done(kA);
  EXPECT_EQ(queue_.Depth(), 1U);
}

TEST_F(WorkQueueTest, GetWaitsForAKey) {
  std::jthread adder([this] { queue_.Add(kA); });
  EXPECT_EQ(queue_.Get(), kA);
}

TEST_F(WorkQueueTest, ShutDownReturnsEveryGetAndTakesNothingMore) {
  std::vector<std::jthread> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.emplace_back([this] { EXPECT_FALSE(queue_.Get()); });
  }
  queue_.ShutDown();
  waiting.clear();
  queue_.Add(kA);
  queue_.AddAfter(kA, 1s);
  queue_.AddRateLimited(kA);
  EXPECT_EQ(queue_.Depth(), 0U);
  EXPECT_EQ(queue_.Delayed(), 0U);
  EXPECT_FALSE(queue_.Get());
}

TEST_F(WorkQueueTest, DirtyKeyIsNotQueuedAfterShutDown) {
  queue_.Add(kA);
  queue_.Get();
  queue_.Add(kA);
  queue_.ShutDown();
  queue_.Done(kA);
  EXPECT_EQ(queue_.Depth(), 0U);
}

TEST_F(WorkQueueTest, DelayedKeyComesAtItsTimeAndNotBefore) {
  queue_.AddAfter(kA, 5s);
  Pass(5s - 1ns);
  EXPECT_EQ(queue_.Depth(), 0U);
  Pass(1ns);
  EXPECT_EQ(queue_.Depth(), 1U);
  EXPECT_EQ(queue_.Delayed(), 0U);
}

TEST_F(WorkQueueTest, NoDelayIsAnAdd) {
  queue_.AddAfter(kA, 0s);
  queue_.AddAfter(kB, -1s);
  EXPECT_EQ(queue_.Depth(), 2U);
}

TEST_F(WorkQueueTest, EarlierTimeWins) {
  queue_.AddAfter(kA, 60s);
  queue_.AddAfter(kA, 3s);
  queue_.AddAfter(kA, 30s);
  EXPECT_EQ(queue_.Delayed(), 1U);
  Pass(3s);
  EXPECT_EQ(queue_.Get(), kA);
  queue_.Done(kA);
  Pass(60s);
  EXPECT_EQ(queue_.Depth(), 0U) << "the later times are forgotten";
}

TEST_F(WorkQueueTest, EarlierKeyWakesTheSleepingThread) {
  queue_.AddAfter(kA, 8s);
  clock_.AwaitSleepers(1);
  queue_.AddAfter(kB, 1s);
  clock_.AwaitSleepers(1);
  clock_.Advance(1s);
  EXPECT_EQ(queue_.Get(), kB);
  EXPECT_EQ(queue_.Delayed(), 1U);
}

TEST_F(WorkQueueTest, DelayedThreadLooksAtLeastEveryTenSeconds) {
  queue_.AddAfter(kA, 1h);
  clock_.AwaitSleepers(1);
  EXPECT_LE(*clock_.ShortestSleep(), 10s);
}

TEST_F(WorkQueueTest, FailuresBackOffFrom5MillisecondsTo5Minutes) {
  std::chrono::nanoseconds expected = 5ms;
  for (int failure = 0; failure < 20; ++failure) {
    queue_.AddRateLimited(kA);
    EXPECT_EQ(queue_.Depth(), 0U);
    Pass(expected - 1ns);
    EXPECT_EQ(queue_.Delayed(), 1U) << failure;
    clock_.Advance(1ns);
    EXPECT_EQ(queue_.Get(), kA);
    queue_.Done(kA);
    expected = std::min<std::chrono::nanoseconds>(expected * 2, 5min);
  }
  EXPECT_EQ(queue_.Failures(kA), 20);
  queue_.Forget(kA);
  EXPECT_EQ(queue_.Failures(kA), 0);
  queue_.AddRateLimited(kA);
  Pass(5ms);
  EXPECT_EQ(queue_.Depth(), 1U);
}

TEST_F(WorkQueueTest, ManyFailingKeysShareABucketOfTokens) {
  for (int i = 0; i < 110; ++i) queue_.AddRateLimited({"n", std::to_string(i)});
  Pass(5ms);
  EXPECT_EQ(queue_.Depth(), 100U) << "the burst";
  Pass(995ms);
  EXPECT_EQ(queue_.Depth(), 110U) << "then ten a second";
}

TEST_F(WorkQueueTest, KnowsTheAgeOfWhatIsInWork) {
  queue_.Add(kA);
  queue_.Get();
  clock_.Advance(3s);
  queue_.Add(kB);
  queue_.Get();
  clock_.Advance(1s);
  EXPECT_EQ(queue_.Unfinished().sum, 5s);
  EXPECT_EQ(queue_.Unfinished().longest, 4s);
}

/// Writes down what the queue says.
class Notes final : public WorkQueueObserver {
 public:
  void OnDepth(std::size_t depth) override { depth_ = depth; }
  void OnAdd() override { ++adds_; }
  void OnRetry() override { ++retries_; }
  void OnWaited(std::chrono::nanoseconds d) override { waited_ = d; }
  void OnWorked(std::chrono::nanoseconds d) override { worked_ = d; }

  std::size_t depth_ = 99;
  int adds_ = 0;
  int retries_ = 0;
  std::chrono::nanoseconds waited_{0};
  std::chrono::nanoseconds worked_{0};
};

TEST(WorkQueueObserved, TellsWhatHappens) {
  fakes::FakeClock clock;
  Notes notes;
  WorkQueue queue(clock, {}, &notes);
  queue.Add(kA);
  queue.Add(kA);
  EXPECT_EQ(notes.adds_, 1);
  EXPECT_EQ(notes.depth_, 1U);
  clock.Advance(2s);
  queue.Get();
  EXPECT_EQ(notes.waited_, 2s);
  EXPECT_EQ(notes.depth_, 0U);
  clock.Advance(3s);
  queue.Done(kA);
  EXPECT_EQ(notes.worked_, 3s);
  queue.AddRateLimited(kA);
  EXPECT_EQ(notes.retries_, 1);
}

}  // namespace
}  // namespace torchsoak::runtime
