#include "operator/k8s/events/event_recorder.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using fakes::FakeClient;
using Verb = FakeClient::Verb;
using Fault = std::optional<FakeClient::Fault>;

Event MakeEvent(const std::string& reason = "Started") {
  Event event;
  event.regarding = {"torchsoak.dev/v1alpha1", "StressTest", {"n", "soak"}, "u1"};
  event.reason = reason;
  event.action = "Run";
  event.note = "started";
  return event;
}

class EventRecorderTest : public ::testing::Test {
 protected:
  void Start() {
    thread_ = std::jthread([this](std::stop_token stop) { EXPECT_TRUE(recorder_.Run(stop)); });
  }

  void Stop() {
    thread_.request_stop();
    thread_.join();
  }

  /// Until the recorder has done all it can do now; time stands still from here on.
  void Settle() {
    clock_.SetAutoAdvance(false);
    clock_.AwaitSleepers(1);
  }

  std::size_t Calls() const { return client_.Calls().size(); }

  fakes::FakeClock clock_;
  FakeClient client_;
  EventRecorder recorder_{{"torchsoak.dev/controller", "pod-1"}, client_, clock_};
  std::jthread thread_;
};

TEST_F(EventRecorderTest, WritesOnItsOwnThread) {
  Start();
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kCreate, 1);
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kMergePatch, 1);
  Settle();
  Stop();
  EXPECT_EQ(recorder_.Dropped(), 0U);
  const auto calls = client_.Calls();
  const auto stored = client_.Peek(EventType(), calls[1].key);
  ASSERT_TRUE(stored);
  EXPECT_EQ(GetInt(*stored, {"series", "count"}), 2);
}

TEST_F(EventRecorderTest, ThousandEqualEventsCostThreeCalls) {
  for (int i = 0; i < 1000; ++i) recorder_.Record(MakeEvent());
  Start();
  client_.AwaitCalls(Verb::kMergePatch, 1);
  clock_.AwaitSleepers(1);
  Stop();
  EXPECT_EQ(Calls(), 3U) << "create, count 2, and the flush at the end";
  EXPECT_EQ(GetInt(client_.Calls().back().body, {"series", "count"}), 1000);
}

TEST_F(EventRecorderTest, FinishesSilentSeriesByTheClock) {
  for (int i = 0; i < 5; ++i) recorder_.Record(MakeEvent());
  Start();
  for (int minute = 0; minute < 7; ++minute) {
    clock_.AwaitSleepers(1);
    clock_.Advance(60s);
  }
  client_.AwaitCalls(Verb::kMergePatch, 2);
  Settle();
  Stop();
  EXPECT_EQ(Calls(), 3U);
}

TEST_F(EventRecorderTest, FullQueueDropsAndCounts) {
  for (std::size_t i = 0; i < EventRecorder::kMaxQueue + 7; ++i) recorder_.Record(MakeEvent());
  EXPECT_EQ(recorder_.Dropped(), 7U);
}

TEST_F(EventRecorderTest, IncompleteEventsAreDropped) {
  Event event = MakeEvent("");
  recorder_.Record(event);
  event = MakeEvent();
  event.action.clear();
  recorder_.Record(event);
  EXPECT_EQ(recorder_.Dropped(), 2U);
}

TEST_F(EventRecorderTest, TriesTwelveTimesThenDrops) {
  clock_.SetAutoAdvance(true);
  client_.SetFault([](const FakeClient::Call& call) -> Fault {
    if (GetString(call.body, {"reason"}) != "Started") return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnavailable, "503"}};
  });
  const BootTime before = clock_.Boot();
  recorder_.Record(MakeEvent());
  recorder_.Record(MakeEvent("Finished"));
  Start();
  client_.AwaitCalls(Verb::kCreate, 13);
  const BootTime after = clock_.Boot();
  Settle();
  Stop();
  EXPECT_EQ(recorder_.Dropped(), 1U);
  EXPECT_GE(after - before, 85s) << "1 + 2 + 4 + 8 + 7 · 10 seconds";
}

TEST_F(EventRecorderTest, RefusalsAreNotTriedAgain) {
  client_.SetFault([](const FakeClient::Call& call) -> Fault {
    if (GetString(call.body, {"reason"}) != "Started") return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kForbidden, "namespace is being terminated"}};
  });
  recorder_.Record(MakeEvent());
  recorder_.Record(MakeEvent("Finished"));
  Start();
  client_.AwaitCalls(Verb::kCreate, 2);
  Settle();
  Stop();
  EXPECT_EQ(recorder_.Dropped(), 1U);
}

TEST_F(EventRecorderTest, CreateWhoseReplyWasLostCountsAsDone) {
  clock_.SetAutoAdvance(true);
  std::atomic<int> lost = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kCreate || lost-- <= 0) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnknown, "connection lost"}, true};
  });
  recorder_.Record(MakeEvent());
  Start();
  client_.AwaitCalls(Verb::kCreate, 2);
  Settle();
  Stop();
  EXPECT_EQ(recorder_.Dropped(), 0U);
}

TEST_F(EventRecorderTest, PatchOfAnExpiredEventCreatesItAnew) {
  Start();
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kCreate, 1);
  clock_.AwaitSleepers(1);
  const ObjectKey key = [&] {
    const auto calls = client_.Calls();
    return ObjectKey{"n", GetString(calls[0].body, {"metadata", "name"})};
  }();
  client_.Remove(EventType(), key);
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kCreate, 2);
  Settle();
  Stop();
  EXPECT_EQ(GetInt(*client_.Peek(EventType(), key), {"series", "count"}), 2);
}

TEST_F(EventRecorderTest, EventThatAppearsBetweenPatchAndCreateIsPatchedAgain) {
  Start();
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kCreate, 1);
  clock_.AwaitSleepers(1);
  std::atomic<int> missing = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kMergePatch || missing-- <= 0) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kNotFound, "not in this server's cache yet"}};
  });
  clock_.SetAutoAdvance(true);
  recorder_.Record(MakeEvent());
  client_.AwaitCalls(Verb::kMergePatch, 2);
  Settle();
  Stop();
  EXPECT_EQ(recorder_.Dropped(), 0U);
}

TEST_F(EventRecorderTest, StopFlushesWhatIsQueued) {
  for (int i = 0; i < 50; ++i) recorder_.Record(MakeEvent("R" + std::to_string(i)));
  thread_ = std::jthread([this](std::stop_token) {
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_TRUE(recorder_.Run(stopped.get_token()));
  });
  thread_.join();
  EXPECT_EQ(client_.Count(Verb::kCreate), 50U);
}

TEST_F(EventRecorderTest, StopDoesNotWaitForAServerThatFails) {
  std::latch calling(1);
  client_.SetFault([&](const FakeClient::Call&) -> Fault {
    if (!calling.try_wait()) calling.count_down();
    return FakeClient::Fault{{ErrorCode::kUnavailable, "503"}};
  });
  recorder_.Record(MakeEvent("A"));
  recorder_.Record(MakeEvent("B"));
  Start();
  calling.wait();
  Stop();  // no time passes on the clock: nothing waits for any to pass
  EXPECT_EQ(recorder_.Dropped(), 2U);
}

TEST_F(EventRecorderTest, CallThatHangsIsCancelledTwoSecondsAfterStop) {
  client_.SetFault([](const FakeClient::Call& call) -> Fault {
    std::latch cancelled(1);
    const std::stop_callback release(call.stop, [&] { cancelled.count_down(); });
    cancelled.wait();
    return FakeClient::Fault{{ErrorCode::kCancelled, "stopped"}};
  });
  recorder_.Record(MakeEvent("A"));
  recorder_.Record(MakeEvent("B"));
  Start();
  client_.AwaitCalls(Verb::kCreate, 1);
  thread_.request_stop();
  clock_.AwaitSleepers(1);
  clock_.Advance(EventRecorder::kFlush);
  thread_.join();
  EXPECT_EQ(Calls(), 1U) << "no call is begun after the flush";
  EXPECT_EQ(recorder_.Dropped(), 2U);
}

}  // namespace
}  // namespace torchsoak::k8s
