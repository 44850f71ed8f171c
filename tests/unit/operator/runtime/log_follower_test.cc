#include "operator/runtime/log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <latch>

#include "tests/fakes/fake_client.h"

namespace torchsoak::runtime {
namespace {

using fakes::FakeClient;
using k8s::ObjectKey;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LogFollowerTest : public ::testing::Test {
 protected:
  ~LogFollowerTest() override { free_.request_stop(); }

  static ObjectKey Pod(const std::string& name) { return {"n", name}; }

  void Done(const k8s::Uid& uid) {
    const std::lock_guard lock(mutex_);
    done_.push_back(uid);
    changed_.notify_all();
  }

  void AwaitDone(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_.size() >= count; });
  }

  void ScriptText(const std::string& pod, const std::string& text, Status end = {}) {
    client_.ScriptLog(
        Pod(pod),
        [=](const k8s::LogOptions&, const FakeClient::Sink& sink, std::stop_token) -> Status {
          if (!sink(text)) return Fail(ErrorCode::kCancelled, "ended by the reader");
          return end;
        });
  }

  /// The log of that pod hangs after its first line, until stopped or freed.
  void ScriptHang(const std::string& pod) {
    client_.ScriptLog(Pod(pod),
                      [this](const k8s::LogOptions&, const FakeClient::Sink& sink,
                             std::stop_token stop) -> Status {
                        sink("@ts-report early\n");
                        {
                          const std::lock_guard lock(mutex_);
                          most_at_once_ = std::max(most_at_once_, ++hanging_);
                          changed_.notify_all();
                        }
                        std::latch over(1);
                        std::once_flag once;
                        const auto end = [&] { std::call_once(once, [&] { over.count_down(); }); };
                        const std::stop_callback freed(free_.get_token(), end);
                        const std::stop_callback stopped(stop, end);
                        over.wait();
                        const std::lock_guard lock(mutex_);
                        --hanging_;
                        if (!stop.stop_requested()) return {};
                        return Fail(ErrorCode::kCancelled, "stopped");
                      });
  }

  void AwaitHanging(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return hanging_ >= count; });
  }

  FakeClient client_;
  std::stop_source free_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<k8s::Uid> done_;  // guarded by mutex_
  int hanging_ = 0;             // guarded by mutex_
  int most_at_once_ = 0;        // guarded by mutex_
  std::stop_source stop_;
  LogFollower follower_{client_, [this](const k8s::Uid& uid) { Done(uid); }, stop_.get_token()};
};

TEST_F(LogFollowerTest, KeepsReportLinesUntilForgotten) {
  ScriptText("p", "step 1\n@ts-report 1/2 a\nnoise\n@ts-report 2/2 b\n");
  EXPECT_TRUE(follower_.Start(Pod("p"), "u", false));
  AwaitDone(1);
  EXPECT_TRUE(follower_.Finished("u"));
  const auto log = follower_.Peek("u");
  ASSERT_TRUE(log);
  EXPECT_THAT(log->lines, ElementsAre("@ts-report 1/2 a", "@ts-report 2/2 b"));
  EXPECT_TRUE(log->ended);
  EXPECT_FALSE(log->error);
  EXPECT_FALSE(log->truncated);
  EXPECT_THAT(follower_.Peek("u")->lines, ElementsAre("@ts-report 1/2 a", "@ts-report 2/2 b"))
      << "it stays until it is forgotten";
  follower_.Forget("u");
  EXPECT_FALSE(follower_.Peek("u"));
  EXPECT_EQ(follower_.Size(), 0U);
}

TEST_F(LogFollowerTest, AsksForTheEndOfTheRunnersLog) {
  std::latch asked(1);
  client_.ScriptLog(Pod("p"),
                    [&](const k8s::LogOptions& options, const FakeClient::Sink&, std::stop_token) {
                      EXPECT_EQ(options.container, "runner");
                      EXPECT_TRUE(options.follow);
                      EXPECT_EQ(options.tail_lines, 2000);
                      asked.count_down();
                      return Status();
                    });
  follower_.Start(Pod("p"), "u", true);
  asked.wait();
}

TEST_F(LogFollowerTest, StartIsIdempotentPerUid) {
  ScriptText("p", "@ts-report x\n");
  EXPECT_TRUE(follower_.Start(Pod("p"), "u", true));
  EXPECT_TRUE(follower_.Start(Pod("p"), "u", true));
  AwaitDone(1);
  EXPECT_TRUE(follower_.Start(Pod("p"), "u", true));
  EXPECT_EQ(client_.Count(FakeClient::Verb::kReadLog), 1U);
  EXPECT_TRUE(follower_.Start(Pod("p"), "another-uid", true));
  AwaitDone(2);
  EXPECT_EQ(client_.Count(FakeClient::Verb::kReadLog), 2U);
}

TEST_F(LogFollowerTest, FailureIsDoneTooAndKeepsWhatWasRead) {
  ScriptText("p", "@ts-report whole\n@ts-report cut o",
             Fail(ErrorCode::kUnavailable, "connection lost"));
  follower_.Start(Pod("p"), "u", true);
  AwaitDone(1);
  const auto log = follower_.Peek("u");
  ASSERT_TRUE(log);
  EXPECT_THAT(log->lines, ElementsAre("@ts-report whole"));
  ASSERT_TRUE(log->error);
  EXPECT_EQ(log->error->code, ErrorCode::kUnavailable);
}

TEST_F(LogFollowerTest, MissingPodIsAnError) {
  follower_.Start(Pod("nobody"), "u", false);
  AwaitDone(1);
  EXPECT_EQ(follower_.Peek("u")->error->code, ErrorCode::kNotFound);
}

TEST_F(LogFollowerTest, TotalLimitEndsReadingAndIsNoError) {
  client_.ScriptLog(
      Pod("p"),
      [](const k8s::LogOptions&, const FakeClient::Sink& sink, std::stop_token) -> Status {
        const std::string line = "@ts-report " + std::string(500'000, 'x') + "\n";
        int pieces = 0;
        while (sink(line)) ++pieces;
        EXPECT_EQ(pieces, 4);
        return Fail(ErrorCode::kCancelled, "ended by the reader");
      });
  follower_.Start(Pod("p"), "u", true);
  AwaitDone(1);
  const auto log = follower_.Peek("u");
  EXPECT_TRUE(log->truncated);
  EXPECT_FALSE(log->error);
  EXPECT_EQ(log->lines.size(), 4U);
}

TEST_F(LogFollowerTest, ForgetEndsReadingWithoutADone) {
  ScriptHang("p");
  ScriptText("q", "");
  follower_.Start(Pod("p"), "u", true);
  AwaitHanging(1);
  EXPECT_FALSE(follower_.Finished("u"));
  follower_.Forget("u");
  follower_.Forget("unknown");
  EXPECT_FALSE(follower_.Has("u"));
  follower_.Start(Pod("q"), "u2", true);
  AwaitDone(1);
  EXPECT_THAT(done_, ElementsAre("u2"));
}

TEST_F(LogFollowerTest, AnUnfinishedLogIsShownAsFarAsItWasRead) {
  ScriptHang("p");
  follower_.Start(Pod("p"), "u", true);
  AwaitHanging(1);
  const auto log = follower_.Peek("u");
  ASSERT_TRUE(log);
  EXPECT_THAT(log->lines, ElementsAre("@ts-report early"));
  EXPECT_FALSE(log->ended);
}

TEST_F(LogFollowerTest, ReadsThirtyTwoAtOnceAndTheOthersLater) {
  for (int i = 0; i < 40; ++i) {
    ScriptHang("p" + std::to_string(i));
    EXPECT_TRUE(follower_.Start(Pod("p" + std::to_string(i)), "u" + std::to_string(i), true));
  }
  AwaitHanging(32);
  EXPECT_EQ(client_.Count(FakeClient::Verb::kReadLog), 32U);
  free_.request_stop();
  AwaitDone(40);
  EXPECT_LE(most_at_once_, 32);
}

TEST_F(LogFollowerTest, HoldsSixtyFourAndForgetsTheOldestFinishedFirst) {
  ScriptHang("slow");
  EXPECT_TRUE(follower_.Start(Pod("slow"), "slow", true));
  AwaitHanging(1);
  for (int i = 0; i < 63; ++i) {
    ScriptText("p", "@ts-report x\n");
    EXPECT_TRUE(follower_.Start(Pod("p"), "u" + std::to_string(i), false));
    AwaitDone(i + 1);
  }
  EXPECT_EQ(follower_.Size(), 64U);
  EXPECT_TRUE(follower_.Start(Pod("p"), "one-more", false));
  EXPECT_EQ(follower_.Size(), 64U);
  EXPECT_FALSE(follower_.Has("u0"));
  EXPECT_TRUE(follower_.Has("u1"));
  EXPECT_TRUE(follower_.Has("slow")) << "what is still being read stays";
}

TEST_F(LogFollowerTest, RefusesWhenAllAreUnfinished) {
  for (int i = 0; i < 64; ++i) {
    ScriptHang("p" + std::to_string(i));
    EXPECT_TRUE(follower_.Start(Pod("p" + std::to_string(i)), "u" + std::to_string(i), true));
  }
  EXPECT_FALSE(follower_.Start(Pod("p"), "one-more", true));
  free_.request_stop();
  AwaitDone(64);
  EXPECT_TRUE(follower_.Start(Pod("p"), "one-more", true));
}

TEST_F(LogFollowerTest, StopTokenEndsAll) {
  for (int i = 0; i < 40; ++i) {
    ScriptHang("p" + std::to_string(i));
    follower_.Start(Pod("p" + std::to_string(i)), "u" + std::to_string(i), true);
  }
  AwaitHanging(32);
  stop_.request_stop();
  AwaitDone(40);
  EXPECT_EQ(follower_.Peek("u0")->error->code, ErrorCode::kCancelled);
  EXPECT_EQ(follower_.Peek("u39")->error->code, ErrorCode::kCancelled);
  EXPECT_FALSE(follower_.Start(Pod("p"), "late", true));
}

TEST_F(LogFollowerTest, DoneMayPeekAndForget) {
  std::latch taken(1);
  LogFollower* self = nullptr;
  ScriptText("p", "@ts-report x\n");
  LogFollower follower(client_,
                       [&](const k8s::Uid& uid) {
                         EXPECT_THAT(self->Peek(uid)->lines, ElementsAre("@ts-report x"));
                         self->Forget(uid);
                         taken.count_down();
                       },
                       {});
  self = &follower;
  follower.Start(Pod("p"), "u", false);
  taken.wait();
  EXPECT_EQ(follower.Size(), 0U);
}

TEST_F(LogFollowerTest, DestructorEndsWhatIsBeingRead) {
  ScriptHang("p");
  {
    LogFollower follower(client_, nullptr, {});
    follower.Start(Pod("p"), "u", true);
    AwaitHanging(1);
  }
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(hanging_, 0);
}

}  // namespace
}  // namespace torchsoak::runtime
