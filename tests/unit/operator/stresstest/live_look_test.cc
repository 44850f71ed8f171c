#include "operator/stresstest/live_look.h"

#include <gtest/gtest.h>

#include "common/contract/names.h"
#include "operator/k8s/meta.h"
#include "operator/stresstest/names.h"
#include "tests/fakes/fake_client.h"
#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using fakes::FakeClient;

class LiveLookTest : public testing::Test {
 protected:
  /// A pod of the test in the server, with its label or without; returns its uid.
  std::string PutPod(const std::string& name, bool labelled) {
    Json pod{{"metadata", {{"name", name}, {"namespace", "n"}}}};
    if (labelled) pod["metadata"]["labels"] = {{contract::kLabelUid, "uid-1"}};
    return k8s::UidOf(client_.Put(kPods, pod));
  }

  FakeClient client_;
  Observed observed_ = Started().observed;
};

TEST_F(LiveLookTest, APodThatLostItsLabelsDoesNotHide) {
  RunStatus& run = observed_.test.status.runs.front();
  run.pod_uid = PutPod(run.pod, false);
  observed_.pods.front().uid = run.pod_uid;
  observed_.pods.front().gone = true;  // as far as the watch can tell
  ASSERT_TRUE(LookLive(client_, observed_, {}));
  ASSERT_EQ(observed_.pods.size(), 1U);
  EXPECT_FALSE(observed_.pods.front().gone);
  EXPECT_TRUE(observed_.live);
}

TEST_F(LiveLookTest, ANamesakeOfThePodIsNotThePod) {
  PutPod(observed_.test.status.runs.front().pod, false);
  observed_.pods.clear();
  ASSERT_TRUE(LookLive(client_, observed_, {}));
  EXPECT_TRUE(observed_.pods.empty());
}

TEST_F(LiveLookTest, LastWordsOfAGonePodAreKept) {
  observed_.pods.front().gone = true;
  ASSERT_TRUE(LookLive(client_, observed_, {}));
  ASSERT_EQ(observed_.pods.size(), 1U);
  EXPECT_TRUE(observed_.pods.front().gone);
  EXPECT_TRUE(observed_.jobs.empty()) << "the server has none";
}

TEST_F(LiveLookTest, APodThatHasJustGoneIsAskedForAgain) {
  const Status looked = LookLive(client_, observed_, {});
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ErrorCode::kThrottled);
  EXPECT_FALSE(observed_.live);
}

TEST_F(LiveLookTest, AJobWithoutOwnerAndLabelsIsFoundByNameAndUid) {
  const Json job = client_.Put(kJobs, {{"metadata", {{"name", "t-r000-a1"}, {"namespace", "n"}}}});
  observed_.pods.clear();
  ASSERT_TRUE(LookLive(client_, observed_, {}));
  EXPECT_TRUE(observed_.jobs.empty()) << "somebody else's";
  observed_.test.status.runs.front().job_uid = k8s::UidOf(job);
  ASSERT_TRUE(LookLive(client_, observed_, {}));
  EXPECT_EQ(observed_.jobs.size(), 1U);
}

}  // namespace
}  // namespace torchsoak::stresstest
