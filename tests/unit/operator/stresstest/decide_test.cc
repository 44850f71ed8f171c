#include "operator/stresstest/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/stresstest/job_builder.h"
#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using contract::Reason;
using contract::Verdict;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

TEST(Decide, CreatesOneJobAndSaysSo) {
  World world;
  const Plan plan = world.Step();
  ASSERT_TRUE(plan.create_job);
  EXPECT_EQ(GetString(*plan.create_job, {"metadata", "name"}), "t-r000-a1");
  EXPECT_EQ(world.status().phase, "Pending");
  EXPECT_EQ(world.status().attempt, 1);
  world.Apply(plan);
  EXPECT_FALSE(world.Step().create_job) << "a second look must not create a second Job";
}

TEST(Decide, AdoptsItsJobAfterACrashBetweenTheTwoWrites) {
  World world;
  world.AddJob();  // created, but the status never said so
  const Plan plan = world.Step();
  EXPECT_FALSE(plan.create_job);
  EXPECT_EQ(world.status().runs.front().job_uid, "job-1");
}

TEST(Decide, FollowsThePodThroughItsPhases) {
  World world;
  world.Apply(world.Step());
  world.AddPod();
  world.pod().scheduled = "False";
  world.pod().scheduled_message = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  world.Step();
  EXPECT_EQ(world.status().phase, "Pending");
  EXPECT_EQ(world.status().Find("Scheduled")->reason, "Unschedulable");
  EXPECT_THAT(world.status().message, HasSubstr("Insufficient nvidia.com/gpu"));
  world.Schedule("node-1").Step();
  EXPECT_EQ(world.status().phase, "Starting");
  world.Run().Step();
  EXPECT_EQ(world.status().phase, "Running");
  EXPECT_TRUE(world.status().Holds("Running"));
}

TEST(Decide, PassesWithACompleteResult) {
  World world = Started();
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet, "all gates met")));
  world.Step();
  const TestStatus& status = world.status();
  EXPECT_EQ(status.phase, "Finished");
  EXPECT_EQ(status.verdict, "Passed");
  EXPECT_TRUE(status.Holds("Passed"));
  EXPECT_TRUE(status.Holds("ResultsCollected"));
  EXPECT_TRUE(status.Holds("ResourcesReleased"));
  EXPECT_EQ(status.headline, "15900 samples/s");
  EXPECT_EQ(status.runs.front().exit_code, 0);
}

TEST(Decide, FetchesTheReportBeforeItFinishes) {
  World world = Started();
  auto result = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  result.core.report = {2, 9000, std::string(64, 'a')};
  world.Exit(0, Message(result));
  const Plan plan = world.Step();
  ASSERT_EQ(plan.need, Need::kReport);
  EXPECT_EQ(plan.report->ref.frames, 2);
  EXPECT_EQ(GetString(plan.report->node, {"verdict"}), "Passed");
  world.observed.report = ReportView{true, "t-results-0", std::string(64, 'a'), ""};
  world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
  EXPECT_TRUE(world.status().Holds("ResultComplete"));
  EXPECT_EQ(GetString(world.status().results, {"sha256"}), std::string(64, 'a'));
}

TEST(Decide, ALostReportCostsDetailAndNotTheVerdict) {
  World world = Started();
  auto result = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  result.core.report = {2, 9000, std::string(64, 'a')};
  world.Exit(0, Message(result));
  world.observed.report = ReportView{false, "", "", "frame 2 of 2 is missing"};
  world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
  EXPECT_EQ(world.status().Find("ResultComplete")->status, "False");
  EXPECT_EQ(world.status().Find("ResultComplete")->reason, "ReportLost");
}

TEST(Decide, NeverTouchesAFinishedVerdict) {
  World world = Started();
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.Step();
  const Json before = StatusToJson(world.status());
  world.pod().phase = "Failed";  // kubernetes#117955
  world.pod().reason = "UnexpectedAdmissionError";
  world.spec()["abort"] = true;
  const Plan plan = world.After(minutes(90)).Step();
  EXPECT_EQ(StatusToJson(world.status()), before);
  EXPECT_FALSE(plan.create_job);
  world.observed.jobs.clear();
  world.observed.pods.clear();
  EXPECT_FALSE(world.Step().create_job) << "deleted children must not restart a finished test";
  EXPECT_EQ(StatusToJson(world.status()), before);
}

TEST(Decide, EndsAPodThatNoNodeTakes) {
  World world;
  world.Apply(world.Step());
  world.AddPod();
  world.pod().scheduled = "False";
  world.pod().scheduled_message = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  world.Step();
  EXPECT_TRUE(world.After(minutes(14)).Step().delete_jobs.empty());
  const Plan stop = world.After(minutes(1)).Step();
  ASSERT_EQ(stop.delete_jobs.size(), 1U);
  EXPECT_EQ(world.status().runs.front().stopping, "Unschedulable") << "the intent comes first";
  world.Apply(stop);
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Inconclusive");
  EXPECT_EQ(world.status().reason, "Unschedulable");
  EXPECT_THAT(world.status().message, HasSubstr("Insufficient nvidia.com/gpu"));
}

TEST(Decide, HintsAtWhyAPodIsNeverMade) {
  World world;
  world.Apply(world.Step());
  world.Apply(world.After(minutes(15)).Step());
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().reason, "Unschedulable");
  EXPECT_THAT(world.status().message, HasSubstr("no pod was created within 15m: a quota"));
}

TEST(Decide, ARestartDoesNotMoveTheSchedulingClock) {
  World world;
  world.Apply(world.Step());
  world.After(minutes(10)).Step();
  World restarted;
  restarted.observed = world.observed;
  restarted.status() = StatusFromJson(StatusToJson(world.status()));
  EXPECT_TRUE(restarted.After(minutes(4)).Step().delete_jobs.empty());
  EXPECT_FALSE(restarted.After(minutes(1)).Step().delete_jobs.empty());
}

TEST(Decide, TimeInAQueueStartsNoClockButTotal) {
  World world;
  world.spec()["timeouts"]["total"] = "10h";
  world.Apply(world.Step());
  world.job().suspended = true;
  world.Step();
  EXPECT_EQ(world.status().phase, "Queued");
  EXPECT_TRUE(world.After(minutes(180)).Step().delete_jobs.empty());
  world.job().suspended = false;
  world.Step();
  EXPECT_TRUE(world.After(minutes(14)).Step().delete_jobs.empty()) << "the clock starts anew";
  world.job().suspended = true;
  world.Step();
  world.Apply(world.After(minutes(420)).Step());
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().reason, "Unschedulable");
  EXPECT_EQ(world.status().verdict, "Inconclusive");
}

TEST(Decide, AQueueThatTakesAJobBackBeforeItRanCostsNoAttempt) {
  World world;
  world.Apply(world.Step());
  world.AddPod().Step();
  world.job().suspended = true;
  world.pod().gone = true;
  EXPECT_EQ(world.Step().need, Need::kNothing);
  EXPECT_EQ(world.status().phase, "Queued");
  world.job().suspended = false;
  world.Step();
  EXPECT_EQ(world.status().phase, "Pending");
  world.AddPod().Schedule("node-1").Run().Step();
  EXPECT_EQ(world.status().phase, "Running");
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(Decide, APendingPodThatSomebodyDeletesEndsTheTest) {
  World world;
  world.Apply(world.Step());
  world.AddPod().Step();
  world.pod().gone = true;
  EXPECT_EQ(world.Step().need, Need::kNothing) << "the Job says first that it failed";
  world.job().failed = true;
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().reason, "PodDeleted");
}

TEST(Decide, APreemptedRunIsRepeatedAsTheNextAttempt) {
  World world = Started();
  world.job().suspended = true;  // the queue takes the place back
  world.pod().deleting = world.observed.now;
  world.Apply(world.Step());
  EXPECT_EQ(world.status().runs.front().stopping, "Preempted");
  world.observed.live = true;
  const Plan next = world.Step();
  ASSERT_TRUE(next.create_job);
  EXPECT_EQ(GetString(*next.create_job, {"metadata", "name"}), "t-r000-a2");
  EXPECT_FALSE(world.status().finished());
}

TEST(Decide, AbortKeepsPartialNumbers) {
  World world = Started();
  world.spec()["abort"] = true;
  const Plan stop = world.Step();
  ASSERT_TRUE(stop.follow_log);
  auto result = FinalResult(Verdict::kInconclusive, Reason::kPodDeleted);
  result.core.partial = true;
  result.core.exit = 3;
  world.pod().deleting = world.observed.now + seconds(30);
  world.Exit(3, Message(result));
  world.Step();
  EXPECT_EQ(world.status().verdict, "Aborted");
  EXPECT_EQ(world.status().message, "aborted by spec.abort after 790 measured steps");
  EXPECT_FALSE(world.status().metrics.empty());
}

TEST(Decide, AbortBeforeAnyPodEndsAtOnce) {
  World world;
  world.spec()["abort"] = true;
  EXPECT_EQ(world.Step().need, Need::kLiveLook) << "a Job may have been made just before a crash";
  world.observed.live = true;
  const Plan plan = world.Step();
  EXPECT_FALSE(plan.create_job);
  EXPECT_EQ(world.status().verdict, "Aborted");
}

TEST(Decide, SuspendAndResumeStartASecondAttemptFromZero) {
  World world = Started();
  world.spec()["suspend"] = true;
  world.Apply(world.Step());
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_TRUE(world.status().Holds("Suspended"));
  EXPECT_FALSE(world.Step().create_job);
  world.spec()["suspend"] = false;
  const Plan plan = world.Step();
  ASSERT_TRUE(plan.create_job);
  EXPECT_EQ(GetString(*plan.create_job, {"metadata", "name"}), "t-r000-a2");
  EXPECT_FALSE(world.status().Holds("Suspended"));
}

// The Job is deleted in the foreground and its pod never goes: the test must not hang on them.
TEST(Decide, ASuspendedRunOnADeadNodeIsGivenUp) {
  World world = Started();
  world.spec()["suspend"] = true;
  ASSERT_EQ(world.Step().delete_jobs.size(), 1U);
  world.job().deleting = true;
  world.pod().deleting = world.observed.now + seconds(30);
  world.observed.live = true;
  world.After(seconds(60)).Step();
  EXPECT_EQ(world.status().attempt, 1) << "it may still answer";
  world.After(minutes(2)).Step();
  EXPECT_EQ(world.status().phase, "Suspended");
  EXPECT_EQ(world.status().attempt, 2);
  world.spec()["abort"] = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Aborted");
}

TEST(Decide, SuspendedFromTheStartMakesNoJob) {
  World world;
  world.spec()["suspend"] = true;
  EXPECT_FALSE(world.Step().create_job);
  EXPECT_EQ(world.status().phase, "Suspended");
  world.spec()["suspend"] = false;
  const Plan plan = world.Step();
  ASSERT_TRUE(plan.create_job);
  EXPECT_EQ(GetString(*plan.create_job, {"metadata", "name"}), "t-r000-a1");
}

TEST(Decide, ACacheMissIsNoDeletion) {
  World world = Started();
  const Observed complete = world.observed;
  world.observed.jobs.clear();
  world.observed.pods.clear();
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  EXPECT_FALSE(world.status().finished());
  world.observed.jobs = complete.jobs;  // the live look finds both
  world.observed.pods = complete.pods;
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().phase, "Running");
}

TEST(Decide, ADeletedPodIsInconclusive) {
  World world = Started();
  world.pod().gone = true;
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Inconclusive");
  EXPECT_EQ(world.status().reason, "PodDeleted");
}

TEST(Decide, APodOnALostNodeDoesNotHoldTheTestForEver) {
  World world = Started();
  world.pod().deleting = world.observed.now + seconds(30);
  world.Step();
  EXPECT_FALSE(world.After(minutes(5)).Step().status.finished());
  world.After(seconds(31)).Step();
  EXPECT_TRUE(world.status().finished());
  EXPECT_EQ(world.status().reason, "NodeLost");
  EXPECT_EQ(world.status().Find("ResourcesReleased")->status, "False");
  EXPECT_THAT(world.status().Find("ResourcesReleased")->message, HasSubstr("node-1"));
}

TEST(Decide, AJobThatIsTakenAwayIsNotTheEndOfItsPod) {
  World world = Started();
  world.observed.jobs.clear();
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_FALSE(world.status().finished());
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
}

TEST(Decide, ACompleteJobWithoutItsPodIsADeletedPod) {
  World world = Started();
  world.job().complete = true;
  world.observed.pods.clear();
  EXPECT_EQ(world.Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_EQ(world.status().reason, "PodDeleted");
  EXPECT_TRUE(world.status().Holds("Scheduled")) << "it had run, as the status already said";
}

TEST(Decide, LossDecreasesIsAGateThatWasAskedFor) {
  World world = Started();
  world.spec()["training"]["checks"] = {"FiniteLoss", "LossDecreases"};
  auto result = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  world.Exit(0, Message(result));
  EXPECT_EQ(Decide(world.observed, world.settings).status.reason, "ResultTruncated");
  result.gates.push_back({"LossDecreases", contract::GateResult::kPassed, true, "", "", ""});
  world.Exit(0, Message(result));
  EXPECT_EQ(Decide(world.observed, world.settings).status.verdict, "Passed");
}

TEST(Decide, FollowsTheLogAgainWhenTheFirstFollowerDied) {
  World world = Started();
  world.spec()["abort"] = true;
  world.Step();  // the intent is written; then the operator dies
  const Plan again = world.Step();
  EXPECT_TRUE(again.follow_log);
  EXPECT_EQ(again.delete_jobs.size(), 1U);
}

TEST(Decide, ARunThatExistsOutlivesAChangeOfAllowedImages) {
  World world = Started();
  world.spec()["image"] = "no.longer.allowed/runner:1";
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
}

TEST(Decide, NamesAForeignJobAndLeavesItAlone) {
  World world;
  world.observed.create_problem =
      CreateProblem{CreateProblem::Kind::kNameTaken, "Job t-r000-a1 belongs to somebody else"};
  const Plan plan = world.Step();
  EXPECT_EQ(world.status().verdict, "Error");
  EXPECT_EQ(world.status().reason, "NameConflict");
  EXPECT_TRUE(plan.delete_jobs.empty());
}

TEST(Decide, ARefusedJobIsAnInvalidSpec) {
  World world;
  world.observed.create_problem =
      CreateProblem{CreateProblem::Kind::kRefused, "spec.template.spec.affinity: unknown field"};
  world.Step();
  EXPECT_EQ(world.status().reason, "InvalidSpec");
  EXPECT_EQ(world.status().Find("Accepted")->status, "False");
}

TEST(Decide, AMissingRightIsShownAndEndsWithTheClock) {
  World world;
  world.observed.create_problem =
      CreateProblem{CreateProblem::Kind::kWaiting, "cannot create jobs in namespace n"};
  world.Step();
  EXPECT_EQ(world.status().phase, "Pending");
  EXPECT_THAT(world.status().message, HasSubstr("cannot create jobs"));
  world.After(minutes(15)).Step();
  EXPECT_EQ(world.status().reason, "Unschedulable");
}

TEST(Decide, RefusesAnImageThatIsNotAllowed) {
  World world;
  world.spec()["image"] = "evil.example/miner:1";
  EXPECT_FALSE(world.Step().create_job);
  EXPECT_EQ(world.status().reason, "InvalidSpec");
  EXPECT_THAT(world.status().message, HasSubstr("evil.example/miner:1"));
}

TEST(Decide, DeletesItselfAfterItsTtl) {
  World world = Started();
  world.spec()["retention"] = {{"ttlAfterPassed", "1h"}, {"ttlAfterFailed", "2h"}};
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.Step();
  EXPECT_FALSE(world.After(minutes(59)).Step().delete_test);
  EXPECT_TRUE(world.After(minutes(1)).Step().delete_test);
}

TEST(Decide, SuspensionAtTheLastMomentDoesNotThrowAResultAway) {
  World world = Started();
  world.Exit(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet)));
  world.spec()["suspend"] = true;
  world.Step();
  EXPECT_EQ(world.status().verdict, "Passed");
}

TEST(Decide, TotalEndsATestThatNeverGotAPod) {
  World world;
  world.spec()["timeouts"]["total"] = "1m";
  world.spec()["suspend"] = true;
  world.Step();
  EXPECT_EQ(world.After(minutes(1)).Step().need, Need::kLiveLook);
  world.observed.live = true;
  world.Step();
  EXPECT_TRUE(world.status().finished());
  EXPECT_EQ(world.status().reason, "Unschedulable");
}

}  // namespace
}  // namespace torchsoak::stresstest
