// Each detector sees its canary; and a canary whose fault does not reach the detector is dead.

#include "runner/canary/canaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/canary/kinds.h"
#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;
using State = Canary::State;

class CanariesTest : public testing::Test {
 protected:
  CanaryParts Parts(const contract::Spec& spec) {
    return {spec, device_, backend_, &workload_, read_, {}};
  }

  FakeDevice device_;
  FakeBackend backend_;
  FakeWorkload workload_{GoodStep};
  std::function<ProcessUse()> read_ = ReadProcessUse;
};

contract::Spec WithEverything(contract::Mode mode) {
  contract::Spec spec = FakeTraining(100);
  spec.mode = mode;
  if (mode == contract::Mode::kTraining) {
    spec.training.checks.push_back(contract::Check::kLossDecreases);
    spec.training.amp = true;
    spec.training.precision = contract::Precision::kFp16;
  }
  const std::string metric(contract::InfoOf(mode).step_time);
  spec.thresholds = {{"most", metric, contract::Statistic::kP99, std::nullopt, 0.5},
                     {"least", metric, contract::Statistic::kP50, 0.0, std::nullopt}};
  return spec;
}

std::vector<std::string> Names(const std::vector<Canary>& canaries) {
  std::vector<std::string> names;
  for (const Canary& canary : canaries) names.push_back(canary.detector);
  return names;
}

TEST_F(CanariesTest, EveryDetectorOfATrainingIsProven) {
  const contract::Spec spec = WithEverything(contract::Mode::kTraining);
  const auto canaries = RunCanaries(Parts(spec));
  EXPECT_THAT(Names(canaries), testing::ElementsAre("ExactLeak", "Growth", "FiniteLoss",
                                                    "LossDecreases", "FiniteGradients",
                                                    "Thresholds", "Drift", "Percentiles", "Stall"));
  for (const Canary& canary : canaries) {
    EXPECT_EQ(canary.state, State::kProven) << canary.detector << ": " << canary.detail;
  }
  EXPECT_EQ(CanaryGate(canaries).result, GateResult::kPassed);
  EXPECT_EQ(CanaryGate(canaries).observed, "9 of 9 proven");
}

TEST_F(CanariesTest, EveryDetectorOfAnInferenceIsProven) {
  const contract::Spec spec = WithEverything(contract::Mode::kInference);
  const auto canaries = RunCanaries(Parts(spec));
  EXPECT_THAT(Names(canaries), testing::ElementsAre("ExactLeak", "Growth", "Answers", "Thresholds",
                                                    "Drift", "Percentiles", "Stall"));
  for (const Canary& canary : canaries) {
    EXPECT_EQ(canary.state, State::kProven) << canary.detector << ": " << canary.detail;
  }
}

TEST_F(CanariesTest, EveryDetectorOfProductsIsProven) {
  const contract::Spec spec = WithEverything(contract::Mode::kGemm);
  const auto canaries = RunCanaries(Parts(spec));
  EXPECT_THAT(Names(canaries), testing::ElementsAre("ExactLeak", "Growth", "Thresholds", "Drift",
                                                    "Percentiles", "WrongResult", "Stall"));
  for (const Canary& canary : canaries) {
    EXPECT_EQ(canary.state, State::kProven) << canary.detector << ": " << canary.detail;
  }
}

TEST_F(CanariesTest, AComparisonThatDoesNotSeeASpoiltResultIsDead) {
  workload_.proofs = {{"WrongResult", "one bit changed", false}};
  const contract::Spec spec = WithEverything(contract::Mode::kGemm);
  const auto canaries = ShowWrongResults(Parts(spec));
  ASSERT_EQ(canaries.size(), 1U);
  EXPECT_EQ(canaries[0].state, State::kDead);
  EXPECT_EQ(CanaryGate(canaries).result, GateResult::kFailed);
}

TEST_F(CanariesTest, NothingIsLeftBehind) {
  const MemoryUse before = device_.Memory();
  const ProcessUse process = ReadProcessUse();
  RunCanaries(Parts(FakeTraining(100)));
  EXPECT_EQ(device_.Memory().objects, before.objects);
  EXPECT_EQ(ReadProcessUse().descriptors, process.descriptors);
  EXPECT_EQ(ReadProcessUse().threads, process.threads);
}

TEST_F(CanariesTest, AnAllocatorThatDoesNotCountIsDead) {
  backend_.counting = false;
  const auto canaries = RunCanaries(Parts(FakeTraining(100)));
  EXPECT_EQ(canaries[0].state, State::kDead);
  const contract::Gate gate = CanaryGate(canaries);
  EXPECT_EQ(gate.result, GateResult::kFailed);
  EXPECT_THAT(gate.message, testing::HasSubstr("ExactLeak"));
}

// Memory that another thread gives back in the middle hides the growth of the first time.
TEST_F(CanariesTest, ADisturbanceIsNoDeadDetector) {
  int reads = 0;
  read_ = [&] {
    ProcessUse use = ReadProcessUse();
    if (++reads < 250) *use.anonymous += std::int64_t{1} << 30;
    return use;
  };
  int beats = 0;
  const contract::Spec spec = FakeTraining(100);
  CanaryParts parts = Parts(spec);
  parts.beat = [&] { ++beats; };
  EXPECT_EQ(ShowGrowingProcess(parts).state, State::kProven);
  EXPECT_GT(reads, 600) << "it had to be shown again";
  EXPECT_GT(beats, 40) << "the watchdog of a short stall must not bark meanwhile";
}

// One stream that stands still is enough.
TEST_F(CanariesTest, ASamplerThatSeesNothingGrowIsDead) {
  read_ = [] {
    ProcessUse use = ReadProcessUse();
    use.descriptors = 12;
    return use;
  };
  const Canary canary = ShowGrowingProcess(Parts(FakeTraining(100)));
  EXPECT_EQ(canary.state, State::kDead);
  EXPECT_THAT(canary.detail, testing::HasSubstr("process.descriptors"));
}

TEST_F(CanariesTest, WhatCannotBeShownIsSkippedWithTheReason) {
  read_ = [] { return ProcessUse{}; };
  const Canary canary = ShowGrowingProcess(Parts(FakeTraining(100)));
  EXPECT_EQ(canary.state, State::kSkipped);
  EXPECT_EQ(CanaryGate({canary}).result, GateResult::kPassed);
  EXPECT_EQ(CanaryGate({canary}).observed, "0 of 1 proven");
}

TEST_F(CanariesTest, TheWatchdogIsProvenForTheLongestStallToo) {
  contract::Spec spec = FakeTraining(100);
  EXPECT_EQ(ShowStall(spec).state, State::kProven);
  spec.timeouts.stall = std::chrono::hours(720);
  EXPECT_EQ(ShowStall(spec).state, State::kProven);
}

}  // namespace
}  // namespace torchsoak::runner
