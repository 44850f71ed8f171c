#include "common/contract/gates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace torchsoak::contract {
namespace {

const std::vector<MetricValue> kMeasured = {
    {"training.stepTime", Statistic::kP99, 0.1714, 1000},
    {"training.stepTime", Statistic::kP999, 0.2, 1000},
    {"training.samplesPerSecond", Statistic::kMean, 2480.4, 60},
    {"training.loss", Statistic::kLast, 0.6931, 1000},
    {"training.epochTime", Statistic::kMean, std::nullopt, 0},
    {"memory.allocated", Statistic::kMax, std::nan(""), 3},
    {"inference.latency", Statistic::kP99, 0.01, 458}};

Threshold Bound(const char* metric, Statistic statistic, std::optional<double> min,
                std::optional<double> max) {
  return {"gate", metric, statistic, min, max};
}

TEST(EvaluateThreshold, Table) {
  struct Case {
    Threshold threshold;
    GateResult result;
    const char* observed;
    const char* limit;
    const char* message;
  };
  using S = Statistic;
  const std::optional<double> none;
  const Case cases[] = {
      {Bound("training.stepTime", S::kP99, none, 0.13), GateResult::kFailed, "171.4ms", "<= 130ms",
       "training.stepTime P99 171.4ms > 130ms"},
      {Bound("training.stepTime", S::kP99, none, 0.1714), GateResult::kPassed, "171.4ms",
       "<= 171.4ms", ""},
      {Bound("training.samplesPerSecond", S::kMean, 2400, none), GateResult::kPassed, "2480/s",
       ">= 2400/s", ""},
      {Bound("training.samplesPerSecond", S::kMean, 2480.4, none), GateResult::kPassed, "2480/s",
       ">= 2480/s", ""},
      {Bound("training.samplesPerSecond", S::kMean, 3000, none), GateResult::kFailed, "2480/s",
       ">= 3000/s", "training.samplesPerSecond Mean 2480/s < 3000/s"},
      {Bound("training.samplesPerSecond", S::kMean, 2480.41, none), GateResult::kFailed, "2480.4/s",
       ">= 2480/s", "training.samplesPerSecond Mean 2480.4/s < 2480.41/s"},
      {Bound("training.loss", S::kLast, 0.1, 0.7), GateResult::kPassed, "0.6931",
       ">= 0.1 and <= 0.7", ""},
      {Bound("training.loss", S::kMin, none, 0.7), GateResult::kNotEvaluated, "", "<= 0.7",
       "training.loss Min was not measured (0 samples)"},
      {Bound("training.epochTime", S::kMean, none, 5), GateResult::kNotEvaluated, "", "<= 5s",
       "training.epochTime Mean was not measured (0 samples)"},
      {Bound("memory.allocated", S::kMax, none, 5), GateResult::kNotEvaluated, "", "<= 5B",
       "memory.allocated Max was not measured (3 samples)"},
      {Bound("training.stepTime", S::kP999, none, 1), GateResult::kNotEvaluated, "200ms", "<= 1s",
       "training.stepTime P999 needs 4603 samples and has 1000: measure 3603 more, with a longer "
       "duration or more "
       "maxIterations"},
      {Bound("inference.latency", S::kP99, none, 1), GateResult::kNotEvaluated, "10ms", "<= 1s",
       "inference.latency P99 needs 459 samples and has 458: measure 1 more, with a longer "
       "duration or more "
       "maxIterations"},
  };
  for (const Case& c : cases) {
    const Gate gate = EvaluateThreshold(c.threshold, kMeasured);
    EXPECT_EQ(ToString(gate.result), ToString(c.result)) << c.message;
    EXPECT_EQ(gate.observed, c.observed);
    EXPECT_EQ(gate.limit, c.limit);
    EXPECT_EQ(gate.message, c.message);
    EXPECT_EQ(gate.name, "gate");
    EXPECT_TRUE(gate.user);
  }
}

TEST(EvaluateThreshold, AValueThatLooksEqualToItsLimitIsToldApart) {
  const Gate gate =
      EvaluateThreshold(Bound("training.stepTime", Statistic::kP99, std::nullopt, 0.13),
                        {{"training.stepTime", Statistic::kP99, 0.13000001, 500}});
  EXPECT_EQ(gate.message, "training.stepTime P99 130.00001ms > 130ms");
}

Gate Make(const char* name, GateResult result, bool user = false, const char* message = "") {
  return {name, result, user, "", "", message};
}

TEST(Conclude, Table) {
  using G = GateResult;
  struct Case {
    const char* what;
    std::vector<Gate> gates;
    Evidence evidence;
    const char* verdict;
    const char* reason;
    const char* message;
  };
  const Gate good = Make("FiniteLoss", G::kPassed);
  const Gate slow = Make("step-p99", G::kFailed, true, "171.4ms > 130ms");
  const Evidence enough{.steps = 100};
  const Case cases[] = {
      {"all met", {good}, enough, "Passed", "AllGatesMet", "1 gate met over 100 measured steps"},
      {"no gates but steps",
       {},
       enough,
       "Passed",
       "AllGatesMet",
       "0 gates met over 100 measured steps"},
      {"no gates, 20 steps",
       {},
       {.steps = 20},
       "Passed",
       "AllGatesMet",
       "0 gates met over 20 measured steps"},
      {"no gates, 19 steps",
       {},
       {.steps = 19},
       "Inconclusive",
       "TooFewSamples",
       "19 measured steps, at least 20 are needed: set a longer duration or more maxIterations"},
      {"nothing at all",
       {},
       {},
       "Inconclusive",
       "TooFewSamples",
       "0 measured steps, at least 20 are needed: set a longer duration or more maxIterations"},
      {"preflight",
       {Make("Gemm", G::kPassed), Make("DeviceCount", G::kPassed)},
       {.steps = 0, .min_steps = 0},
       "Passed",
       "AllGatesMet",
       "2 gates met"},
      {"breached",
       {good, slow},
       {.steps = 100, .where = " (on gpu-node-17)"},
       "Failed",
       "ThresholdBreached",
       "step-p99: 171.4ms > 130ms (on gpu-node-17)"},
      {"breached though few steps",
       {slow},
       {.steps = 3},
       "Failed",
       "ThresholdBreached",
       "step-p99: 171.4ms > 130ms"},
      {"two breached",
       {slow, slow},
       enough,
       "Failed",
       "ThresholdBreached",
       "step-p99: 171.4ms > 130ms; and 1 more"},
      {"NaN before slow",
       {slow, Make("FiniteLoss", G::kFailed, false, "NaN at step 500")},
       enough,
       "Failed",
       "NonFiniteLoss",
       "FiniteLoss: NaN at step 500; and 1 more"},
      {"wrong before leak",
       {Make("ExactLeak", G::kFailed), Make("Gemm", G::kFailed, false, "off by 3")},
       enough,
       "Failed",
       "WrongResult",
       "Gemm: off by 3; and 1 more"},
      {"leak before slow",
       {slow, Make("ExactLeak", G::kFailed, false, "4B/step")},
       enough,
       "Failed",
       "LeakFound",
       "ExactLeak: 4B/step; and 1 more"},
      {"no descent",
       {Make("LossDecreases", G::kFailed, true, "2.3 to 2.2")},
       enough,
       "Failed",
       "ThresholdBreached",
       "LossDecreases: 2.3 to 2.2"},
      {"wrong number of GPUs",
       {Make("DeviceCount", G::kFailed, false, "1 of 2 GPUs seen")},
       {},
       "Error",
       "DeviceCountMismatch",
       "DeviceCount: 1 of 2 GPUs seen"},
      {"broken driver",
       {Make("Driver", G::kFailed, false, "too old")},
       {},
       "Error",
       "PreflightFailed",
       "Driver: too old"},
      {"answers that are not finite",
       {Make("Answers", G::kFailed, false, "3 of 50")},
       enough,
       "Failed",
       "WrongResult",
       "Answers: 3 of 50"},
      {"failed beats error",
       {Make("DeviceCount", G::kFailed), slow},
       enough,
       "Failed",
       "ThresholdBreached",
       "step-p99: 171.4ms > 130ms; and 1 more"},
      {"stalled",
       {good},
       {.steps = 16, .stalled = true, .stall_detail = "step 17 made no progress for 10s"},
       "Failed",
       "Stalled",
       "step 17 made no progress for 10s"},
      {"stalled beats slow",
       {slow},
       {.steps = 16, .stalled = true},
       "Failed",
       "Stalled",
       "no step finished in time"},
      {"stalled before measuring",
       {},
       {.stalled = true, .stall_detail = "warm-up hung"},
       "Error",
       "StartupTimeout",
       "no step was measured: warm-up hung"},
      {"stopped",
       {good},
       {.steps = 57, .partial = true},
       "Inconclusive",
       "PodDeleted",
       "stopped before the end, after 57 measured steps"},
      {"stopped after one",
       {},
       {.steps = 1, .partial = true},
       "Inconclusive",
       "PodDeleted",
       "stopped before the end, after 1 measured step"},
      {"stopped but bad",
       {slow},
       {.steps = 57, .partial = true},
       "Failed",
       "ThresholdBreached",
       "step-p99: 171.4ms > 130ms"},
      {"blocks that never agreed",
       {good, Make("Timing", G::kNotEvaluated, true, "differ by 20%")},
       enough,
       "Inconclusive",
       "Unstable",
       "Timing was not evaluated: differ by 20%"},
      {"user gate not evaluated",
       {good, Make("rate", G::kNotEvaluated, true, "was not measured")},
       enough,
       "Inconclusive",
       "TooFewSamples",
       "rate was not evaluated: was not measured"},
      {"built-in not evaluated does not block",
       {good, Make("ExactLeak", G::kNotEvaluated)},
       enough,
       "Passed",
       "AllGatesMet",
       "1 gate met over 100 measured steps"},
      {"warned and recorded do not block",
       {Make("a", G::kWarned, true), Make("b", G::kRecorded)},
       enough,
       "Passed",
       "AllGatesMet",
       "0 gates met over 100 measured steps"},
  };
  for (const Case& c : cases) {
    const Outcome outcome = Conclude(c.gates, c.evidence);
    EXPECT_EQ(ToString(outcome.verdict), c.verdict) << c.what;
    EXPECT_EQ(ToString(outcome.reason), c.reason) << c.what;
    EXPECT_EQ(outcome.message, c.message) << c.what;
    EXPECT_TRUE(Fits(outcome.verdict, outcome.reason)) << c.what;
  }
}

TEST(Conclude, SentenceStaysWithin200Bytes) {
  const Gate gate = Make("gate", GateResult::kFailed, true, "x");
  Gate wide = gate;
  wide.message = std::string(1000, 'x');
  EXPECT_EQ(Conclude({wide}, {.steps = 100}).message.size(), 200U);
}

TEST(EvaluateThreshold, EveryTailNeedsItsSamples) {
  const std::pair<Statistic, std::int64_t> needs[] = {{Statistic::kP50, 1},
                                                      {Statistic::kP90, 44},
                                                      {Statistic::kP95, 90},
                                                      {Statistic::kP99, 459},
                                                      {Statistic::kP999, 4603}};
  for (const auto& [statistic, needed] : needs) {
    const Threshold threshold = Bound("inference.latency", statistic, std::nullopt, 1.0);
    for (const std::int64_t samples : {needed - 1, needed}) {
      const Gate gate =
          EvaluateThreshold(threshold, {{"inference.latency", statistic, 0.1, samples}});
      EXPECT_EQ(gate.result == GateResult::kPassed, samples >= needed)
          << ToString(statistic) << samples;
    }
  }
}

// No evidence, no pass: taking any one input away never leaves Passed.
TEST(Conclude, AnyInputTakenAwayIsNoPass) {
  const Threshold threshold = Bound("training.stepTime", Statistic::kP99, std::nullopt, 1.0);
  const auto verdict = [&](const std::vector<MetricValue>& metrics, Evidence evidence) {
    return Conclude({EvaluateThreshold(threshold, metrics)}, evidence).verdict;
  };
  const MetricValue full = {"training.stepTime", Statistic::kP99, 0.5, 459};
  EXPECT_EQ(verdict({full}, {.steps = 459}), Verdict::kPassed);
  MetricValue less = full;
  less.samples = 458;
  EXPECT_NE(verdict({less}, {.steps = 459}), Verdict::kPassed);
  less = full;
  less.value.reset();
  EXPECT_NE(verdict({less}, {.steps = 459}), Verdict::kPassed);
  EXPECT_NE(verdict({}, {.steps = 459}), Verdict::kPassed);
  EXPECT_NE(verdict({full}, {.steps = 0}), Verdict::kPassed);
  EXPECT_NE(verdict({full}, {.steps = 459, .partial = true}), Verdict::kPassed);
}

}  // namespace
}  // namespace torchsoak::contract
