#include "operator/stresstest/failure_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using contract::Reason;
using contract::Verdict;
using testing::HasSubstr;

/// A pod that ended, and what its runner left.
class FailurePolicy : public testing::Test {
 protected:
  FailurePolicy() {
    pod_.name = "t-r000-a1-abcde";
    pod_.uid = "pod";
    pod_.node = "node-1";
    pod_.phase = "Failed";
    pod_.runner.kind = ContainerView::Kind::kTerminated;
    ending_.pod = &pod_;
    ending_.test_uid = "uid-1";
  }

  contract::Outcome Ended(int code, const std::string& message, const std::string& reason = "") {
    pod_.runner.exit_code = code;
    pod_.runner.message = message;
    pod_.runner.reason = reason;
    ending_.result = contract::DecodeResult(message);
    return Judge(ending_);
  }

  contract::RunResult Checkpoint(bool measuring) {
    auto result = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
    result.core.state = contract::ResultState::kCheckpoint;
    result.core.outcome.reset();
    result.core.measuring = measuring;
    result.core.steps = measuring ? 790 : 0;
    return result;
  }

  PodView pod_;
  Ending ending_;
};

// D10: the exit code alone says nothing, and neither does the message alone.
TEST_F(FailurePolicy, PassesOnlyWithExitCodeAndResultAndGates) {
  const auto passed = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  EXPECT_EQ(Ended(0, Message(passed)).verdict, Verdict::kPassed);
  EXPECT_EQ(Ended(0, "").reason, Reason::kResultMissing);
  EXPECT_EQ(Ended(0, "PASS\n").verdict, Verdict::kInconclusive);
  EXPECT_EQ(Ended(1, Message(passed)).reason, Reason::kResultContradictory);
  EXPECT_EQ(Ended(137, Message(Checkpoint(true)), "Error").reason, Reason::kRunnerCrashed);
  const auto failed = FinalResult(Verdict::kFailed, Reason::kWrongResult, "3 wrong products");
  EXPECT_EQ(Ended(0, Message(failed)).reason, Reason::kResultContradictory);
  EXPECT_EQ(Ended(1, Message(failed)).verdict, Verdict::kFailed);
}

TEST_F(FailurePolicy, EveryThresholdMustStandInAPass) {
  auto passed = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  ending_.required = {"p99"};
  EXPECT_EQ(Ended(0, Message(passed)).reason, Reason::kResultTruncated);
  passed.gates.push_back({"p99", contract::GateResult::kPassed, true, "12ms", "<= 20ms", ""});
  EXPECT_EQ(Ended(0, Message(passed)).verdict, Verdict::kPassed);
  passed.gates.push_back({"loss", contract::GateResult::kFailed, false, "", "", ""});
  EXPECT_EQ(Ended(0, Message(passed)).reason, Reason::kResultContradictory);
}

// D08: a message that was cut never passes, wherever the cut is.
TEST_F(FailurePolicy, NoCutMessageEverPasses) {
  auto passed = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  ending_.required = {"p99"};
  passed.gates.push_back({"p99", contract::GateResult::kPassed, true, "12ms", "<= 20ms", ""});
  const std::string whole = Message(passed);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    ASSERT_NE(Ended(0, whole.substr(0, length)).verdict, Verdict::kPassed) << length;
    ASSERT_NE(Ended(0, whole.substr(whole.size() - length)).verdict, Verdict::kPassed) << length;
  }
}

TEST_F(FailurePolicy, NoDamagedByteEverPasses) {
  const std::string whole = Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x01);
    ASSERT_NE(Ended(0, damaged).verdict, Verdict::kPassed) << at;
  }
}

TEST_F(FailurePolicy, AResultOfAnotherTestOrAttemptIsRefused) {
  auto other = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  other.core.uid = "uid-2";
  EXPECT_EQ(Ended(0, Message(other)).reason, Reason::kResultContradictory);
  other.core.uid = "uid-1";
  other.core.attempt = 2;
  EXPECT_EQ(Ended(0, Message(other)).reason, Reason::kResultContradictory);
}

TEST_F(FailurePolicy, MemoryIsAFailureOnlyOnceMeasuringHadBegun) {
  ending_.memory_limit = "256Mi";
  const auto early = Ended(137, Message(Checkpoint(false)), "OOMKilled");
  EXPECT_EQ(early.verdict, Verdict::kError);
  EXPECT_EQ(early.reason, Reason::kOOMKilled);
  EXPECT_THAT(early.message, HasSubstr("256Mi"));
  EXPECT_EQ(Ended(137, "", "OOMKilled").verdict, Verdict::kError);
  const auto late = Ended(137, Message(Checkpoint(true)), "OOMKilled");
  EXPECT_EQ(late.verdict, Verdict::kFailed);
  EXPECT_THAT(late.message, HasSubstr("after 790 measured steps"));
}

TEST_F(FailurePolicy, ACrashNamesTheLastLineOfTheLog) {
  const auto early = Ended(139, "loading\nSegmentation fault\n", "Error");
  EXPECT_EQ(early.verdict, Verdict::kError);
  EXPECT_EQ(early.reason, Reason::kRunnerCrashed);
  EXPECT_THAT(early.message, HasSubstr(": Segmentation fault"));
  EXPECT_EQ(Ended(139, Message(Checkpoint(true)), "Error").verdict, Verdict::kFailed);
}

TEST_F(FailurePolicy, TheRunnersOwnWatchdogSpeaksForItself) {
  auto stalled = FinalResult(Verdict::kFailed, Reason::kStalled, "step 17 made no progress");
  EXPECT_EQ(stalled.core.exit, 124);
  EXPECT_EQ(Ended(124, Message(stalled)).reason, Reason::kStalled);
}

TEST_F(FailurePolicy, DisruptionsAreNoFaultOfTheTest) {
  pod_.runner.kind = ContainerView::Kind::kNone;
  pod_.reason = "Evicted";
  EXPECT_EQ(Judge(ending_).reason, Reason::kEvicted);
  pod_.reason = "UnexpectedAdmissionError";
  EXPECT_EQ(Judge(ending_).reason, Reason::kAdmissionError);
  pod_.reason = "";
  pod_.disruption = "DeletionByTaintManager";
  EXPECT_EQ(Judge(ending_).reason, Reason::kNodeLost);
  pod_.disruption = "PreemptionByScheduler";
  EXPECT_EQ(Judge(ending_).reason, Reason::kEvicted);
  EXPECT_EQ(Judge(ending_).verdict, Verdict::kInconclusive);
}

TEST_F(FailurePolicy, ACompleteResultOutlivesTheDeletionOfItsPod) {
  pod_.deleting = kStart;
  EXPECT_EQ(Ended(0, Message(FinalResult(Verdict::kPassed, Reason::kAllGatesMet))).verdict,
            Verdict::kPassed);
  auto partial = FinalResult(Verdict::kInconclusive, Reason::kPodDeleted);
  partial.core.partial = true;
  partial.core.exit = 3;
  EXPECT_EQ(Ended(3, Message(partial)).reason, Reason::kPodDeleted);
}

TEST_F(FailurePolicy, NoUnfinishedRunPasses) {
  auto partial = FinalResult(Verdict::kPassed, Reason::kAllGatesMet);
  partial.core.partial = true;
  EXPECT_EQ(Ended(0, Message(partial)).reason, Reason::kResultContradictory);
}

TEST_F(FailurePolicy, ALimitDoesNotHideWhatHadBeenFound) {
  ending_.stopping = "RunTimeout";
  auto leak = FinalResult(Verdict::kFailed, Reason::kLeakFound, "4B a step from step 12");
  leak.core.partial = true;
  pod_.deleting = kStart;  // as after every stop of the operator's
  EXPECT_EQ(Ended(1, Message(leak)).reason, Reason::kLeakFound);
  pod_.gone = true;
  EXPECT_EQ(Ended(1, Message(leak)).reason, Reason::kLeakFound);
  ending_.stopping = "Aborted";
  EXPECT_EQ(Ended(1, Message(leak)).verdict, Verdict::kAborted);
}

TEST_F(FailurePolicy, AFailureThatWasFoundOutlivesTheDeletionOfItsPod) {
  auto leak = FinalResult(Verdict::kFailed, Reason::kLeakFound, "4B a step from step 12");
  leak.core.partial = true;
  pod_.deleting = kStart;
  EXPECT_EQ(Ended(1, Message(leak)).reason, Reason::kLeakFound);
  pod_.reason = "Evicted";
  EXPECT_EQ(Ended(1, Message(leak)).reason, Reason::kLeakFound);
}

// containerd after a reboot: it knows that the container is gone, and not how.
TEST_F(FailurePolicy, AContainerThatARebootTookIsNotTheModelsFault) {
  EXPECT_EQ(Ended(255, Message(Checkpoint(true)), "Unknown").reason, Reason::kNodeLost);
  EXPECT_EQ(Ended(255, Message(Checkpoint(true)), "Error").reason, Reason::kRunnerCrashed);
}

TEST_F(FailurePolicy, TheOperatorsOwnReasonComesFirst) {
  ending_.stopping = "RunTimeout";
  ending_.stopping_detail = "the run took longer than timeouts.run (1h)";
  EXPECT_EQ(Ended(137, Message(Checkpoint(true)), "Error").reason, Reason::kRunTimeout);
  ending_.stopping = "Aborted";
  EXPECT_EQ(Ended(3, Message(Checkpoint(true))).verdict, Verdict::kAborted);
}

// A runner image of another release cannot read what it was sent, not even for whom it is.
TEST_F(FailurePolicy, ARunnerThatCannotReadItsRunIsAnInvalidSpecAndNoForeignResult) {
  auto result = FinalResult(Verdict::kError, Reason::kInvalidSpec, "not of version 1");
  result.core.uid.clear();
  EXPECT_EQ(Ended(2, Message(result)).reason, Reason::kInvalidSpec);
  result.core.outcome->verdict = Verdict::kPassed;
  result.core.outcome->reason = Reason::kAllGatesMet;
  EXPECT_EQ(Ended(2, Message(result)).reason, Reason::kResultContradictory);
  EXPECT_EQ(Ended(0, Message(result)).reason, Reason::kResultContradictory);
}

}  // namespace
}  // namespace torchsoak::stresstest
