#include "runner/report/conclusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/runner/report/sample_run.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;
using contract::Reason;
using contract::Verdict;
using testing::HasSubstr;

contract::RunResult Judge(const contract::Spec& spec, const Snapshot& snapshot, const End& end = {},
                          const std::string& node = "") {
  return ConcludeRun(SampleRun(), spec, snapshot, end, node);
}

const contract::Gate& GateNamed(const contract::RunResult& result, const std::string& name) {
  for (const contract::Gate& gate : result.gates) {
    if (gate.name == name) return gate;
  }
  static const contract::Gate kMissing{"missing", GateResult::kNotEvaluated, false, "", "", ""};
  return kMissing;
}

TEST(Conclusion, AHealthyRunPasses) {
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot({}));
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kPassed);
  EXPECT_EQ(result.core.exit, 0);
  EXPECT_EQ(result.core.state, contract::ResultState::kFinal);
  EXPECT_TRUE(result.core.measuring);
  EXPECT_EQ(result.core.steps, 100);
  EXPECT_EQ(result.histogram_name, "training.stepTime");
}

TEST(Conclusion, AStepLossThatIsNotFiniteFailsWithTheStep) {
  RunShape shape;
  shape.loss = std::numeric_limits<double>::quiet_NaN();
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot(shape));
  EXPECT_EQ(result.core.outcome->reason, Reason::kNonFiniteLoss);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("step 0"));
  EXPECT_EQ(result.core.exit, 1);
}

TEST(Conclusion, ALeakFailsWithBytesAndStep) {
  RunShape shape;
  shape.leaked_objects = 1;
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot(shape));
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kFailed);
  EXPECT_EQ(result.core.outcome->reason, Reason::kLeakFound);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("4B a step from step"));
  ASSERT_FALSE(result.leaks.empty());
  EXPECT_EQ(result.leaks[0].name, "LiveAllocations");
  EXPECT_DOUBLE_EQ(result.leaks[0].bytes_per_step, 4);
}

TEST(Conclusion, ABreachedThresholdFailsOnItsNode) {
  contract::Spec spec = TrainingSpec();
  spec.thresholds = {
      {"step-p50", "training.stepTime", contract::Statistic::kP50, std::nullopt, 0.005}};
  const auto result = Judge(spec, MeasuredSnapshot({}), {}, "gpu-node-17");
  EXPECT_EQ(result.core.outcome->reason, Reason::kThresholdBreached);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("step-p50"));
  EXPECT_THAT(result.core.outcome->message, HasSubstr("on gpu-node-17"));
  EXPECT_EQ(result.core.exit, 1);
  EXPECT_EQ(result.metrics.front().name, "training.stepTime");  // shed last
}

TEST(Conclusion, TooFewStepsAreNoEvidence) {
  RunShape shape;
  shape.steps = 5;
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot(shape));
  EXPECT_EQ(result.core.outcome->reason, Reason::kTooFewSamples);
  EXPECT_EQ(result.core.exit, 3);
}

TEST(Conclusion, AStopIsInconclusiveAndPartial) {
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot({}), {End::Cause::kSignal, "", {}});
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kInconclusive);
  EXPECT_TRUE(result.core.partial);
  EXPECT_EQ(result.core.exit, 3);
}

TEST(Conclusion, AStallWhileMeasuringFails) {
  const auto result = Judge(TrainingSpec(), MeasuredSnapshot({}),
                            {End::Cause::kStalled, "step 17 of phase measured did not finish", {}});
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kFailed);
  EXPECT_EQ(result.core.outcome->reason, Reason::kStalled);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("step 17"));
  EXPECT_EQ(result.core.exit, 124);
}

TEST(Conclusion, ARunTimeoutIsInconclusiveWithTheLimit) {
  const auto result =
      Judge(TrainingSpec(), MeasuredSnapshot({}), {End::Cause::kRunTimeout, "", {}});
  EXPECT_EQ(result.core.outcome->reason, Reason::kRunTimeout);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("5m"));
  EXPECT_EQ(result.core.exit, 124);
}

TEST(Conclusion, WhatTheRunSaidItselfStands) {
  Snapshot snapshot;
  snapshot.outcome = contract::Outcome{Verdict::kError, Reason::kDeviceCountMismatch, "asks for 1"};
  const auto result = Judge(TrainingSpec(), snapshot, {}, "node-3");
  EXPECT_EQ(result.core.outcome->message, "asks for 1 (on node-3)");
  EXPECT_EQ(result.core.exit, 4);
  EXPECT_FALSE(result.core.measuring);
}

TEST(Conclusion, LossDecreasesWantsHalfOfTheStart) {
  contract::Spec spec = TrainingSpec();
  spec.training.checks.push_back(contract::Check::kLossDecreases);
  RunShape flat;
  flat.steps = 300;
  const auto failed = Judge(spec, MeasuredSnapshot(flat));
  EXPECT_EQ(GateNamed(failed, "LossDecreases").result, GateResult::kFailed);
  EXPECT_EQ(failed.core.outcome->verdict, Verdict::kFailed);
  const auto short_run = Judge(spec, MeasuredSnapshot({}));
  EXPECT_EQ(GateNamed(short_run, "LossDecreases").result, GateResult::kNotEvaluated);
  EXPECT_EQ(short_run.core.outcome->reason, Reason::kTooFewSamples);
}

// NaN with FiniteLoss not asked for: a warning, but no other gate may read a number from it.
TEST(Conclusion, ANaNThatMayBeIsAWarningAndNoValue) {
  contract::Spec spec = TrainingSpec();
  spec.training.checks.clear();
  RunShape shape;
  shape.loss = std::numeric_limits<double>::quiet_NaN();
  const auto allowed = Judge(spec, MeasuredSnapshot(shape));
  EXPECT_EQ(GateNamed(allowed, "FiniteLoss").result, GateResult::kWarned);
  EXPECT_EQ(allowed.core.outcome->verdict, Verdict::kPassed);
  spec.thresholds = {{"loss", "training.loss", contract::Statistic::kLast, std::nullopt, 10}};
  EXPECT_EQ(Judge(spec, MeasuredSnapshot(shape)).core.outcome->verdict, Verdict::kInconclusive);
  spec.thresholds.clear();
  spec.training.checks = {contract::Check::kLossDecreases};
  EXPECT_EQ(Judge(spec, MeasuredSnapshot(shape)).core.outcome->verdict, Verdict::kFailed);
}

/// A training run of which the first `skipped` of `steps` optimizer steps were left out.
Snapshot Scaled(int steps, int skipped) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kTraining);
  for (int i = 0; i < steps; ++i) {
    MeasuredStep step;
    step.at = std::chrono::milliseconds(i + 1);
    step.loss = 1.0;
    step.updated = i >= skipped;
    measured->Add(step);
  }
  Snapshot snapshot;
  snapshot.measured = std::move(measured);
  return snapshot;
}

TEST(Conclusion, TrainingThatSkipsItsOptimizerStepsDoesNotPass) {
  const auto stuck = Judge(TrainingSpec(), Scaled(100, 20));
  EXPECT_EQ(stuck.core.outcome->reason, Reason::kNonFiniteLoss);
  EXPECT_THAT(stuck.core.outcome->message, HasSubstr("20 of 100 optimizer steps were skipped"));
  EXPECT_EQ(Judge(TrainingSpec(), Scaled(100, 16)).core.outcome->verdict, Verdict::kPassed);
  contract::Spec brief = TrainingSpec();
  brief.thresholds = {{"loss", "training.loss", contract::Statistic::kLast, std::nullopt, 10}};
  const auto seeking = Judge(brief, Scaled(5, 5));
  EXPECT_EQ(seeking.core.outcome->reason, Reason::kTooFewSamples);
  EXPECT_THAT(seeking.core.outcome->message, HasSubstr("FiniteGradients"));
}

contract::Spec InferenceSpec() {
  contract::Spec spec = TrainingSpec();
  spec.mode = contract::Mode::kInference;
  return spec;
}

Snapshot Requests(int all, int failed) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kInference);
  for (int i = 0; i < all; ++i) {
    MeasuredStep step;
    step.at = std::chrono::milliseconds(i + 1);
    step.errors = i < failed ? 1 : 0;
    if (step.errors > 0) step.last_error = "out of memory";
    measured->Add(step);
  }
  Snapshot snapshot;
  snapshot.measured = std::move(measured);
  return snapshot;
}

TEST(Conclusion, AFailedRequestFailsTheRunUnlessABoundAllowsIt) {
  contract::Spec spec = InferenceSpec();
  EXPECT_EQ(Judge(spec, Requests(100, 0)).core.outcome->verdict, Verdict::kPassed);
  const auto result = Judge(spec, Requests(100, 1));
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kFailed);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("1 of 100 requests failed: out of memory"));
  spec.thresholds = {
      {"errors", "inference.errorRate", contract::Statistic::kMean, std::nullopt, 0.02}};
  EXPECT_EQ(Judge(spec, Requests(100, 2)).core.outcome->verdict, Verdict::kPassed);
  EXPECT_EQ(Judge(spec, Requests(100, 3)).core.outcome->verdict, Verdict::kFailed);
}

TEST(Conclusion, AHangAfterRequestsThatFailedIsAStallAndNoFailedStart) {
  End end;
  end.cause = End::Cause::kStalled;
  EXPECT_EQ(Judge(InferenceSpec(), Requests(30, 30), end).core.outcome->reason, Reason::kStalled);
}

TEST(Conclusion, ALossThatHasNotComeDownYetIsNoFailureOfAStoppedRun) {
  contract::Spec spec = TrainingSpec();
  spec.thresholds = {{"low", "training.loss", contract::Statistic::kLast, std::nullopt, 0.1},
                     {"fast", "training.stepTime", contract::Statistic::kP50, std::nullopt, 1}};
  End end;
  end.cause = End::Cause::kSignal;
  EXPECT_EQ(Judge(spec, MeasuredSnapshot({})).core.outcome->verdict, Verdict::kFailed);
  EXPECT_EQ(Judge(spec, MeasuredSnapshot({}), end).core.outcome->verdict, Verdict::kInconclusive);
  spec.thresholds[1].max = 0.001;  // that it is slow is known already
  EXPECT_EQ(Judge(spec, MeasuredSnapshot({}), end).core.outcome->verdict, Verdict::kFailed);
}

TEST(Conclusion, ARunWithoutOneAnswerFailsWhateverWasAsked) {
  contract::Spec spec = InferenceSpec();
  spec.thresholds = {{"errors", "inference.errorRate", contract::Statistic::kMean, {}, 1}};
  const auto result = Judge(spec, Requests(30, 30));
  EXPECT_EQ(result.core.outcome->verdict, Verdict::kFailed);
  EXPECT_THAT(result.core.outcome->message, HasSubstr("30 of 30 requests failed: out of memory"));
}

TEST(Conclusion, ACheckpointHasNumbersAndNoVerdict) {
  const auto result = CheckpointOf(SampleRun(), TrainingSpec(), MeasuredSnapshot({}));
  EXPECT_EQ(result.core.state, contract::ResultState::kCheckpoint);
  EXPECT_FALSE(result.core.outcome);
  EXPECT_TRUE(result.core.measuring);
  EXPECT_FALSE(result.metrics.empty());
}

TEST(Conclusion, TheMessageFitsWhateverTheNumbers) {
  const auto encoded = contract::EncodeResult(Judge(TrainingSpec(), MeasuredSnapshot({})));
  EXPECT_LE(encoded.message.size(), contract::kMaxMessageBytes);
  const auto decoded = contract::DecodeResult(encoded.message);
  ASSERT_TRUE(decoded.result) << decoded.problem;
  EXPECT_EQ(decoded.result->core.uid, SampleRun().uid);
}

}  // namespace
}  // namespace torchsoak::runner
