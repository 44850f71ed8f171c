#include "runner/report/mode_gates.h"

#include <gtest/gtest.h>

#include "common/contract/gates.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;

TEST(WrongResultGate, OneWrongResultAmongManyFails) {
  const contract::Gate gate = WrongResultGate({81'233, 1, 0, "cuda:1: product 812 is wrong"});
  EXPECT_EQ(gate.result, GateResult::kFailed);
  EXPECT_EQ(gate.observed, "1 of 81233 wrong");
  EXPECT_EQ(gate.message, "cuda:1: product 812 is wrong");
  contract::Evidence evidence;
  evidence.steps = 81'233;
  const contract::Outcome outcome = contract::Conclude({gate}, evidence);
  EXPECT_EQ(outcome.verdict, contract::Verdict::kFailed);
  EXPECT_EQ(outcome.reason, contract::Reason::kWrongResult);
}

TEST(WrongResultGate, WithoutAResultToCompareThereIsNoPass) {
  const contract::Gate gate = WrongResultGate({0, 0, 0, "this kernel does not repeat itself"});
  EXPECT_EQ(gate.result, GateResult::kNotEvaluated);
  contract::Evidence evidence;
  evidence.steps = 1000;
  EXPECT_EQ(contract::Conclude({gate}, evidence).verdict, contract::Verdict::kInconclusive);
}

TEST(WrongResultGate, ADeviceThatGoesUncheckedForbidsAPass) {
  EXPECT_EQ(WrongResultGate({1000, 0, 1000, "cuda:1 does not repeat itself"}).result,
            GateResult::kNotEvaluated);
}

TEST(WrongResultGate, WhatWasNotYetCheckedForbidsAPass) {
  const contract::Gate gate = WrongResultGate({1000, 0, 0, "", 0.995});
  EXPECT_EQ(gate.result, GateResult::kNotEvaluated);
  EXPECT_TRUE(gate.user);
  EXPECT_EQ(WrongResultGate({1000, 0, 0, "", 1}).result, GateResult::kPassed);
  EXPECT_EQ(WrongResultGate({1000, 1, 0, "wrong", 0.1}).result, GateResult::kFailed);
}

TEST(TimingGate, WarnsAtTorchsBounds) {
  using contract::GateResult;
  const auto result = [](std::int64_t blocks, double spread, bool settled) {
    return TimingGate({blocks, spread, settled}).result;
  };
  EXPECT_EQ(result(100, 0.099, true), GateResult::kPassed);
  EXPECT_EQ(result(100, 0.1, true), GateResult::kWarned);
  EXPECT_EQ(result(100, 0.3, true), GateResult::kWarned);
  EXPECT_NE(TimingGate({100, 0.2, true}).message, TimingGate({100, 0.25, true}).message);
  EXPECT_EQ(result(3, 0, true), GateResult::kNotEvaluated);
  EXPECT_FALSE(TimingGate({3, 0, true}).user);
  EXPECT_EQ(result(100, 0.2, false), GateResult::kNotEvaluated);
  EXPECT_TRUE(TimingGate({100, 0.2, false}).user);
}

TEST(WrongResultGate, IsThereExactlyWhereResultsAreChecked) {
  for (const contract::ModeInfo& info : contract::AllModes()) {
    contract::Spec spec;
    spec.mode = info.mode;
    Measurements measured(info.mode);
    MeasuredStep step;
    step.checks.results = 1;
    measured.Add(step);
    const auto gates = ModeGates(&measured, spec);
    const bool there = std::ranges::any_of(
        gates, [](const contract::Gate& gate) { return gate.name == "WrongResult"; });
    EXPECT_EQ(there, ChecksResults(info.mode)) << info.name;
  }
}

TEST(WrongResultGate, TheFirstWrongResultIsTheOneThatIsShown) {
  Measurements measured(contract::Mode::kGemm);
  for (int i = 0; i < 3; ++i) {
    MeasuredStep step;
    step.checks = {2, i > 0 ? 1 : 0, 0, i > 0 ? "product " + std::to_string(i) : ""};
    measured.Add(step);
  }
  EXPECT_EQ(measured.checks().results, 6);
  EXPECT_EQ(measured.checks().wrong, 2);
  EXPECT_EQ(measured.checks().detail, "product 1");
}

}  // namespace
}  // namespace torchsoak::runner
