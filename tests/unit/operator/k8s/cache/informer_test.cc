#include "operator/k8s/cache/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using fakes::FakeClient;
using fakes::MakeObject;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const ResourceType kPods{"", "v1", "pods", "Pod"};

/// An informer at work against the fake server, and what its handler was told.
class InformerTest : public ::testing::Test {
 protected:
  InformerTest() { clock_.SetAutoAdvance(true); }
  ~InformerTest() override { Stop(); }

  void Make(InformerOptions options) {
    options.type = kPods;
    options.random = [] { return 0.0; };
    informer_ = MakeInformer(std::move(options), client_, clock_);
    informer_->OnChange([this](const Change& change) { Note(change); });
  }

  void Start() {
    thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(std::move(stop)); });
  }

  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  void Note(const Change& change) {
    static const char* const kKinds[] = {"added ", "updated ", "deleted "};
    const std::lock_guard lock(mutex_);
    // The store is always ahead of what handlers are told.
    store_agreed_ = store_agreed_ && informer_->Get(change.key) == change.after;
    synced_when_told_ = informer_->Synced();
    notes_.push_back(kKinds[static_cast<int>(change.kind)] + change.key.ToString() +
                     (change.final_state_known ? "" : "?"));
    changed_.notify_all();
  }

  std::vector<std::string> AwaitNotes(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return notes_.size() >= count; });
    return notes_;
  }

  fakes::FakeClock clock_;
  FakeClient client_;
  std::unique_ptr<Informer> informer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;  // guarded by mutex_
  bool store_agreed_ = true;        // guarded by mutex_
  bool synced_when_told_ = false;   // guarded by mutex_
  std::jthread thread_;
};

TEST_F(InformerTest, SyncsAfterTheFirstListWasDelivered) {
  client_.Put(kPods, MakeObject("n", "a"));
  Make({});
  EXPECT_FALSE(informer_->Synced());
  Start();
  AwaitNotes(1);
  EXPECT_FALSE(synced_when_told_) << "not while the list is still being delivered";
  client_.AwaitCalls(FakeClient::Verb::kWatch, 1);
  EXPECT_TRUE(informer_->Synced());
}

TEST_F(InformerTest, FollowsChangesAndTheStoreIsAheadOfTheHandlers) {
  client_.Put(kPods, MakeObject("n", "a"));
  Make({});
  Start();
  AwaitNotes(1);
  client_.Put(kPods, MakeObject("n", "b"));
  client_.Put(kPods, MakeObject("n", "a", {{"x", "y"}}));
  client_.Remove(kPods, {"n", "b"});
  EXPECT_THAT(AwaitNotes(4), ElementsAre("added n/a", "added n/b", "updated n/a", "deleted n/b"));
  Stop();
  EXPECT_TRUE(store_agreed_);
}

TEST_F(InformerTest, SelectsByLabel) {
  client_.Put(kPods, MakeObject("n", "mine", {{"app", "x"}}));
  client_.Put(kPods, MakeObject("n", "other", {{"app", "y"}}));
  Make({.label_selector = "app=x"});
  Start();
  EXPECT_THAT(AwaitNotes(1), ElementsAre("added n/mine"));
  client_.Put(kPods, MakeObject("n", "other2", {{"app", "y"}}));
  client_.Put(kPods, MakeObject("n", "mine2", {{"app", "x"}}));
  EXPECT_THAT(AwaitNotes(2), ElementsAre("added n/mine", "added n/mine2"));
}

TEST_F(InformerTest, DropsBallastTrimsAndIndexes) {
  Json pod = MakeObject("n", "a");
  pod["metadata"]["managedFields"] = Json::array({1, 2});
  pod["metadata"]["annotations"] = {{"kubectl.kubernetes.io/last-applied-configuration", "{}"},
                                    {"keep", "this"}};
  pod["spec"] = {{"owner", "o1"}, {"noise", "x"}};
  client_.Put(kPods, pod);
  std::mutex seen_mutex;
  Json seen;
  Make({.trim =
            [&](Json&& object) {
              const std::lock_guard lock(seen_mutex);
              seen = object;
              object["spec"].erase("noise");
              return std::move(object);
            },
        .index =
            [](const Json& object) {
              return GetString(object, {"spec", "owner"});
            }});
  Start();
  AwaitNotes(1);
  Stop();
  EXPECT_EQ(Find(seen, {"metadata", "managedFields"}), nullptr);
  EXPECT_THAT(seen["metadata"]["annotations"], SizeIs(1));
  const auto found = informer_->ByIndex("o1");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(Find(*found[0], {"spec", "noise"}), nullptr);
  EXPECT_THAT(informer_->ByIndex("o2"), IsEmpty());
  EXPECT_THAT(informer_->All(), SizeIs(1));
}

TEST_F(InformerTest, RelistNoticesMissedDeletesAndNamesakes) {
  client_.Put(kPods, MakeObject("n", "gone"));
  client_.Put(kPods, MakeObject("n", "reborn"));
  Make({});
  client_.ScriptWatch([this](const FakeClient::Call&, const FakeClient::Sink&, std::stop_token) {
    client_.Remove(kPods, {"n", "gone"});
    client_.Remove(kPods, {"n", "reborn"});
    client_.Put(kPods, MakeObject("n", "reborn"));
    return Status(Fail(ErrorCode::kExpired, "410"));
  });
  Start();
  EXPECT_THAT(AwaitNotes(5), ElementsAre("added n/gone", "added n/reborn", "deleted n/gone?",
                                         "deleted n/reborn?", "added n/reborn"));
}

TEST_F(InformerTest, ReachesVersionsByListEventAndBookmark) {
  client_.Put(kPods, MakeObject("n", "a"));
  Make({});
  EXPECT_FALSE(informer_->Reached("n", ResourceVersion("1")));
  client_.ScriptWatch(
      [this](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) {
        EXPECT_TRUE(informer_->Reached("n", client_.Version()));
        EXPECT_FALSE(informer_->Reached("n", ResourceVersion("500")));
        sink(fakes::WatchLine("BOOKMARK", {{"metadata", {{"resourceVersion", "500"}}}}));
        EXPECT_TRUE(informer_->Reached("n", ResourceVersion("500")));
        EXPECT_TRUE(informer_->Reached("any other", ResourceVersion("99")));
        EXPECT_FALSE(informer_->Reached("n", ResourceVersion("501")));
        return Status();
      });
  Start();
  client_.AwaitCalls(FakeClient::Verb::kWatch, 2);
}

TEST_F(InformerTest, OneReflectorPerNamespace) {
  client_.Put(kPods, MakeObject("n1", "a"));
  client_.Put(kPods, MakeObject("n2", "b"));
  client_.Put(kPods, MakeObject("n3", "c"));
  Make({.namespaces = {"n1", "n2"}});
  Start();
  AwaitNotes(2);
  client_.AwaitCalls(FakeClient::Verb::kWatch, 2);
  EXPECT_TRUE(informer_->Synced());
  EXPECT_EQ(informer_->Get({"n3", "c"}), nullptr);
  EXPECT_TRUE(informer_->Reached("n2", ResourceVersion("100")));
  EXPECT_FALSE(informer_->Reached("n3", ResourceVersion("100"))) << "not watched, never reached";
  client_.Remove(kPods, {"n1", "a"});
  client_.Put(kPods, MakeObject("n2", "d"));
  AwaitNotes(4);
  EXPECT_THAT(informer_->All(), SizeIs(2));
}

TEST_F(InformerTest, KeepsDeletedObjectsReadable) {
  Json pod = MakeObject("n", "a", {{"owner", "o1"}});
  client_.Put(kPods, pod);
  Make({.index =
            [](const Json& object) {
              return GetString(object, {"metadata", "labels", "owner"});
            },
        .keep_deleted = std::chrono::seconds(600)});
  Start();
  AwaitNotes(1);
  client_.Remove(kPods, {"n", "a"});
  AwaitNotes(2);
  EXPECT_THAT(informer_->ByIndex("o1"), IsEmpty());
  EXPECT_THAT(informer_->DeletedByIndex("o1"), SizeIs(1));
  clock_.Advance(std::chrono::seconds(601));
  EXPECT_THAT(informer_->DeletedByIndex("o1"), IsEmpty());
}

TEST_F(InformerTest, SeedsItsOwnJitter) {
  client_.Put(kPods, MakeObject("n", "a"));
  informer_ = MakeInformer({.type = kPods}, client_, clock_);
  informer_->OnChange([this](const Change& change) { Note(change); });
  Start();
  client_.AwaitCalls(FakeClient::Verb::kWatch, 1);
  const int timeout = client_.Calls().back().timeout_seconds;
  EXPECT_GE(timeout, 300);
  EXPECT_LE(timeout, 600);
}

}  // namespace
}  // namespace torchsoak::k8s
