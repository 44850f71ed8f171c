// Report D15. The operator goes deaf (dotnet-operator-sdk#724, #793, #763, #739): a watch that ends
// in any way must not be the last thing heard. Each case: a live watch and no objects, the trouble,
// then an object is created, and the handler hears of it within 60 s of the (faked) time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "operator/k8s/cache/informer.h"
#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using fakes::FakeClient;

const ResourceType kTests{"torchsoak.dev", "v1alpha1", "stresstests", "StressTest"};

class DeafInformerTest : public ::testing::Test {
 protected:
  DeafInformerTest() {
    clock_.SetAutoAdvance(true);
    informer_ = MakeInformer({.type = kTests,
                              .on_restart =
                                  [this](std::string_view cause, const std::string&) {
                                    const std::lock_guard lock(mutex_);
                                    ++restarts_[std::string(cause)];
                                  },
                              .random = [] { return 0.9; }},
                             client_, clock_);
    informer_->OnChange([this](const Change& change) {
      const std::lock_guard lock(mutex_);
      heard_[change.key.name] = change.kind;
      heard_at_ = clock_.Boot();
      changed_.notify_all();
    });
  }

  ~DeafInformerTest() override {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  void Start() {
    thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(std::move(stop)); });
  }

  /// The trouble begins with the next watch; during it an object is created.
  void CreateDuring(const std::function<Status(const FakeClient::Sink&)>& trouble) {
    client_.ScriptWatch(
        [this, trouble](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) {
          const Status ended = trouble(sink);
          Create();
          return ended;
        });
  }

  void Create() {
    client_.Put(kTests, fakes::MakeObject("n", "created"));
    created_at_ = clock_.Boot();
  }

  void ExpectHeardWithinAMinute() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return heard_.contains("created"); });
    EXPECT_LE(heard_at_ - created_at_.load(), 60s);
  }

  int Restarts(const std::string& cause) {
    const std::lock_guard lock(mutex_);
    return restarts_[cause];
  }

  static Status Send(const FakeClient::Sink& sink, const std::string& line) {
    if (sink(line)) return {};
    return Fail(ErrorCode::kCancelled, "ended by the reader");
  }

  fakes::FakeClock clock_;
  FakeClient client_;
  std::unique_ptr<Informer> informer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, ChangeKind> heard_;  // guarded by mutex_
  std::map<std::string, int> restarts_;      // guarded by mutex_
  BootTime heard_at_{0};                     // guarded by mutex_
  std::atomic<BootTime> created_at_{BootTime(0)};
  std::jthread thread_;
};

TEST_F(DeafInformerTest, ExpiredAtWatchStart) {
  client_.Put(kTests, fakes::MakeObject("n", "old"));
  CreateDuring([this](const FakeClient::Sink&) {
    client_.Remove(kTests, {"n", "old"});
    client_.Compact();
    return Status(Fail(ErrorCode::kExpired, "410 Gone"));
  });
  Start();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 2U) << "a fresh list";
  EXPECT_EQ(heard_["old"], ChangeKind::kDeleted) << "what was deleted meanwhile is noticed";
  EXPECT_EQ(Restarts("expired"), 1);
}

TEST_F(DeafInformerTest, ExpiredInsideTheStream) {
  CreateDuring([](const FakeClient::Sink& sink) {
    return Send(sink, fakes::WatchLine("ERROR", {{"code", 410}, {"reason", "Expired"}}));
  });
  Start();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 2U);
}

TEST_F(DeafInformerTest, ServerClosesEveryFewMinutesForThreeHours) {
  for (auto passed = 0s; passed < 3h; passed += 450s) {
    client_.ScriptWatch([this](const FakeClient::Call&, const FakeClient::Sink&, std::stop_token) {
      clock_.Advance(450s);
      return Status();
    });
  }
  Start();
  client_.AwaitCalls(FakeClient::Verb::kWatch, 25);
  Create();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 1U) << "no relist for an ordinary end";
  EXPECT_EQ(Restarts("ended"), 24);
}

TEST_F(DeafInformerTest, StreamStallsWithoutClosing) {
  CreateDuring([this](const FakeClient::Sink&) {
    clock_.Advance(150s);  // what the transport's idle limit gives
    return Status(Fail(ErrorCode::kTimeout, "no byte for 150 s"));
  });
  Start();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 1U);
  EXPECT_EQ(Restarts("idle"), 1);
}

TEST_F(DeafInformerTest, BookmarkOnlyThenTheVersionBeforeItIsCompacted) {
  CreateDuring([this](const FakeClient::Sink& sink) {
    client_.Put(ResourceType{"", "v1", "others", "Other"}, fakes::MakeObject("n", "x"));
    client_.Compact();
    const Json at = {{"metadata", {{"resourceVersion", client_.Version().text()}}}};
    if (!sink(fakes::WatchLine("BOOKMARK", at))) ADD_FAILURE();
    clock_.Advance(300s);
    return Status();
  });
  Start();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 1U) << "the bookmark saved the relist";
}

TEST_F(DeafInformerTest, FirstListsFailThenWork) {
  int lists = 0;
  client_.SetFault([&](const FakeClient::Call& call) -> std::optional<FakeClient::Fault> {
    if (call.verb != FakeClient::Verb::kList || ++lists > 6) return std::nullopt;
    if (lists == 6) Create();
    return FakeClient::Fault{
        {lists % 2 == 0 ? ErrorCode::kForbidden : ErrorCode::kUnavailable, "403 or 500"}};
  });
  Start();
  ExpectHeardWithinAMinute();
  EXPECT_EQ(Restarts("list_failed"), 6);
}

TEST_F(DeafInformerTest, EveryFailureIsASignOfLifeButAListFromThePastIsNone) {
  client_.Compact();
  const BootTime before = informer_->LastProgress();
  client_.ScriptWatch(
      [this](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) {
        sink(fakes::WatchLine("BOOKMARK", {{"metadata", {{"resourceVersion", "900"}}}}));
        clock_.Advance(10s);
        return Status(Fail(ErrorCode::kExpired, "410 Gone"));
      });
  Start();
  client_.AwaitCalls(FakeClient::Verb::kList, 12);
  thread_.request_stop();
  thread_.join();
  EXPECT_GE(informer_->LastProgress(), before + 10s);
  EXPECT_GE(clock_.Boot() - informer_->LastProgress(), 5min) << "so that /healthz sees it";
  EXPECT_GE(Restarts("older_list"), 10);
}

}  // namespace
}  // namespace torchsoak::k8s
