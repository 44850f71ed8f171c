#include "operator/k8s/cache/own_writes.h"

#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using Gate = OwnWrites::Gate;

const ResourceType kTests{"torchsoak.dev", "v1alpha1", "stresstests", "StressTest"};
const ResourceType kJobs{"batch", "v1", "jobs", "Job"};

/// Only Reached means anything here.
class FakeInformer final : public Informer {
 public:
  void OnChange(std::function<void(const Change&)>) override {}
  void Run(std::stop_token) override {}
  bool Synced() const override { return true; }
  ObjectPtr Get(const ObjectKey&) const override { return nullptr; }
  std::vector<ObjectPtr> ByIndex(const std::string&) const override { return {}; }
  std::vector<ObjectPtr> All() const override { return {}; }
  std::vector<ObjectPtr> DeletedByIndex(const std::string&) const override { return {}; }
  bool Reached(const std::string& ns, const ResourceVersion& version) const override {
    return ns == "n" && at >= version;
  }
  BootTime LastProgress() const override { return {}; }

  ResourceVersion at{"10"};
};

class OwnWritesTest : public ::testing::Test {
 protected:
  fakes::FakeClock clock_;
  OwnWrites writes_{clock_};
  FakeInformer informer_;
};

TEST_F(OwnWritesTest, OpenWhenNothingWasWritten) {
  EXPECT_EQ(writes_.Check(kTests, "u", informer_), Gate::kOpen);
}

TEST_F(OwnWritesTest, PendingUntilTheInformerReachesTheVersion) {
  writes_.Remember(kTests, "u", "n", ResourceVersion("11"));
  EXPECT_TRUE(writes_.Pending(kTests, "u", informer_));
  EXPECT_FALSE(writes_.Pending(kTests, "other", informer_));
  informer_.at = ResourceVersion("11");
  EXPECT_FALSE(writes_.Pending(kTests, "u", informer_));
  EXPECT_EQ(writes_.Size(), 0U);
}

TEST_F(OwnWritesTest, LatestOfSeveralWritesCounts) {
  writes_.Remember(kTests, "u", "n", ResourceVersion("100"));
  writes_.Remember(kTests, "u", "n", ResourceVersion("99"));
  informer_.at = ResourceVersion("99");
  EXPECT_TRUE(writes_.Pending(kTests, "u", informer_));
  informer_.at = ResourceVersion("100");
  EXPECT_FALSE(writes_.Pending(kTests, "u", informer_));
}

TEST_F(OwnWritesTest, TypesAreKeptApart) {
  writes_.Remember(kJobs, "u", "n", ResourceVersion("20"));
  EXPECT_FALSE(writes_.Pending(kTests, "u", informer_));
  EXPECT_TRUE(writes_.Pending(kJobs, "u", informer_));
}

TEST_F(OwnWritesTest, ReadsTheObjectThatTheServerReturned) {
  writes_.Remember(
      kJobs, {{"metadata",
               {{"namespace", "n"}, {"name", "j"}, {"uid", "ju"}, {"resourceVersion", "12"}}}});
  EXPECT_TRUE(writes_.Pending(kJobs, "ju", informer_));
}

TEST_F(OwnWritesTest, OverdueAfterFiveMinutesOnce) {
  writes_.Remember(kTests, "u", "n", ResourceVersion("11"));
  clock_.Advance(5min - 1s);
  EXPECT_EQ(writes_.Check(kTests, "u", informer_), Gate::kPending);
  clock_.Advance(1s);
  EXPECT_EQ(writes_.Check(kTests, "u", informer_), Gate::kOverdue);
  EXPECT_EQ(writes_.Check(kTests, "u", informer_), Gate::kOpen);
}

TEST_F(OwnWritesTest, ForgetsDeletedObjectsSoThatANamesakeIsNotWedged) {
  writes_.Remember(kTests, "u1", "n", ResourceVersion("11"));
  writes_.Remember(kJobs, "u1", "n", ResourceVersion("12"));
  writes_.Remember(kJobs, "u2", "n", ResourceVersion("13"));
  writes_.Forget("u1");
  EXPECT_EQ(writes_.Size(), 1U);
  EXPECT_FALSE(writes_.Pending(kTests, "u1", informer_));
  EXPECT_TRUE(writes_.Pending(kJobs, "u2", informer_));
}

TEST_F(OwnWritesTest, IgnoresWhatHasNoUidOrVersion) {
  writes_.Remember(kTests, "", "n", ResourceVersion("11"));
  writes_.Remember(kTests, "u", "n", ResourceVersion());
  writes_.Remember(kTests, Json("no object"));
  EXPECT_EQ(writes_.Size(), 0U);
}

}  // namespace
}  // namespace torchsoak::k8s
