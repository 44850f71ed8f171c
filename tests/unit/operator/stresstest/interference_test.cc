// Somebody deletes, orphans or relabels what a test owns: no clock stops, no result is lost, and
// nothing is said to be gone that runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/k8s/meta.h"
#include "operator/stresstest/decide.h"
#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using contract::Reason;
using contract::Verdict;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

std::string PartialResult() {
  auto result = FinalResult(Verdict::kInconclusive, Reason::kPodDeleted);
  result.core.partial = true;
  result.core.exit = 3;
  return Message(result);
}

TEST(Interference, ADeletedTestThatAFinalizerHoldsIsEnded) {
  World world = Started();
  world.observed.test.deleting = true;
  const Plan stop = world.Step();
  ASSERT_EQ(stop.delete_jobs.size(), 1U);
  world.Exit(3, PartialResult());
  world.Step();
  EXPECT_EQ(world.status().verdict, "Aborted");
  EXPECT_EQ(world.status().message, "ended by the deletion of the test after 790 measured steps");
}

TEST(Interference, ADeletedTestStartsNothing) {
  World world;
  world.observed.test.deleting = true;
  EXPECT_FALSE(world.Step().create_job);
  world.observed.live = true;
  EXPECT_FALSE(world.Step().create_job);
  EXPECT_EQ(world.status().verdict, "Aborted");
}

TEST(Interference, OrphansOfADeletedTestAreLeftAlone) {
  World world = Started();
  world.observed.test.deleting = true;
  world.observed.test.orphaning = true;
  const Plan plan = world.Step();
  EXPECT_TRUE(plan.delete_jobs.empty());
  EXPECT_EQ(world.status().phase, "Running");
}

TEST(Interference, ATestThatIsDeletedIsNotDeletedOnceMore) {
  World world = Started();
  world.spec()["retention"] = {{"ttlAfterPassed", "1h"}, {"ttlAfterFailed", "1h"}};
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.Step();
  world.observed.test.deleting = true;
  EXPECT_FALSE(world.After(minutes(120)).Step().delete_test);
}

TEST(Interference, AJobThatLostItsOwnerIsStillJudgedAndStopped) {
  World world = Started();
  world.job().orphan = true;
  world.Step();
  EXPECT_THAT(world.status().message, HasSubstr("has lost its owner"));
  EXPECT_FALSE(world.After(minutes(60)).Step().delete_jobs.empty()) << "timeouts.run is over";
}

TEST(Interference, AJobIsKnownByItsLabelOrItsUid) {
  World world = Started();
  const TestView& test = world.observed.test;
  const Json owner{{"kind", "StressTest"}, {"name", "t"}, {"uid", "uid-1"}, {"controller", true}};
  Json job{{"metadata", {{"uid", "another"}}}};
  EXPECT_FALSE(IsJobOf(job, test));
  job["metadata"]["uid"] = world.job().uid;
  EXPECT_TRUE(IsJobOf(job, test)) << "labels and owner are gone, but we know it";
  job["metadata"] = {{"uid", "another"}, {"labels", {{"torchsoak.dev/stresstest-uid", "uid-1"}}}};
  EXPECT_TRUE(IsJobOf(job, test));
  EXPECT_TRUE(ReadJob(job).orphan);
  job["metadata"]["ownerReferences"] = {owner};
  EXPECT_TRUE(IsJobOf(job, test));
  EXPECT_FALSE(ReadJob(job).orphan);
  job["metadata"]["ownerReferences"][0]["uid"] = "uid-2";
  EXPECT_FALSE(IsJobOf(job, test)) << "somebody else controls it";
}

TEST(Interference, AJobThatIsNotSeenIsLookedForAndStopped) {
  World world = Started();
  world.spec()["abort"] = true;
  const std::vector<JobView> jobs = world.observed.jobs;
  world.observed.jobs.clear();  // its labels are gone, and with them the watch
  ASSERT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.jobs = jobs;
  world.observed.live = true;
  const Plan plan = world.Step();
  EXPECT_EQ(plan.delete_jobs.size(), 1U);
  EXPECT_LE(plan.look_again, seconds(15)) << "no event will come";
}

TEST(Interference, APodThatIsNotSeenRunsOn) {
  World world = Started();
  world.pod().gone = true;  // so it looks without its labels
  ASSERT_EQ(world.Step().need, Need::kLiveLook);
  world.pod().gone = false;
  world.observed.live = true;
  const Plan plan = world.Step();
  EXPECT_EQ(world.status().phase, "Running");
  EXPECT_LE(plan.look_again, seconds(15));
  world.observed.pods.clear();  // and its last state has left the cache
  world.observed.live = false;
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
}

TEST(Interference, AReplacementDoesNotHideThePodThatRan) {
  World world = Started();
  world.pod().job_uid.clear();  // released by its Job, which makes another
  world.AddPod();
  world.pod().uid = "replacement";
  world.observed.pods.back().runner.message =
      Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet));
  world.observed.pods.back().runner.kind = ContainerView::Kind::kTerminated;
  world.observed.pods.back().phase = "Succeeded";
  const Plan plan = world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
  EXPECT_FALSE(world.status().Holds("ResourcesReleased")) << "the other one has not ended";
  EXPECT_EQ(plan.delete_jobs.size(), 1U);
}

TEST(Interference, APodThatNobodyCanEndDoesNotHoldTheTest) {
  World world = Started();
  world.pod().job_uid.clear();
  world.spec()["abort"] = true;
  ASSERT_EQ(world.Step().delete_jobs.size(), 1U);
  world.observed.jobs.clear();
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Aborted");
  EXPECT_THAT(world.status().Find("ResourcesReleased")->message,
              HasSubstr("kubectl delete pod t-r000-a1-abcde"));
  world.observed.live = false;
  world.observed.pods.clear();
  EXPECT_EQ(world.Step().need, Need::kLiveLook) << "released is never said from the cache alone";
}

TEST(Interference, AbortDuringASuspendKeepsTheNumbers) {
  World world = Started();
  world.spec()["suspend"] = true;
  ASSERT_EQ(world.Step().delete_jobs.size(), 1U);
  world.spec()["abort"] = true;
  world.Exit(3, PartialResult());
  world.Step();
  EXPECT_EQ(world.status().verdict, "Aborted");
  EXPECT_EQ(world.status().message, "aborted by spec.abort after 790 measured steps");
  EXPECT_FALSE(world.status().metrics.empty());
}

TEST(Interference, AbortAfterASuspendKnowsOfTheEarlierAttempt) {
  World world = Started();
  world.spec()["suspend"] = true;
  world.Apply(world.Step());
  world.observed.live = true;
  world.Step();
  world.spec()["abort"] = true;
  world.Step();
  EXPECT_EQ(world.status().message, "aborted by spec.abort while no attempt was under way");
}

TEST(Interference, ConditionsOfOthersAreLeftToThem) {
  const TestStatus status =
      StatusFromJson({{"conditions",
                       {{{"type", "Running"}, {"status", "True"}},
                        {{"type", "example.com/Watched"}, {"status", "True"}}}}});
  ASSERT_EQ(status.conditions.size(), 1U);
  EXPECT_TRUE(status.Holds("Running"));
}

}  // namespace
}  // namespace torchsoak::stresstest
