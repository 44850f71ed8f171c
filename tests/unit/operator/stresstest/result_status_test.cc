#include "operator/stresstest/result_status.h"

#include <gtest/gtest.h>

namespace torchsoak::stresstest {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::RunResult;
using contract::Statistic;

Gate Met(const char* name) { return {name, GateResult::kPassed, false, "", "", ""}; }

TEST(Headline, IsTheMetricThatSumsUpTheMode) {
  RunResult result;
  result.gates = {Met("ExactLeak")};
  result.metrics = {{"training.stepTime", Statistic::kP99, 0.02, 40},
                    {"training.stepTime", Statistic::kP50, 0.012, 40},
                    {"training.samplesPerSecond", Statistic::kP50, 99.0, 40},
                    {"training.samplesPerSecond", Statistic::kMean, 2480.0, 40}};
  EXPECT_EQ(Headline(result, "training.samplesPerSecond"), "2480 samples/s");
  EXPECT_EQ(Headline(result, "training.stepTime"), "stepTime 12ms");
  EXPECT_EQ(Headline(result, "inference.samplesPerSecond"), "");
  result.metrics.back().value.reset();
  EXPECT_EQ(Headline(result, "training.samplesPerSecond"), "");
}

TEST(Headline, IsTheGateThatFailed) {
  RunResult result;
  result.gates = {Met("DeviceCount"), {"p99", GateResult::kFailed, true, "31ms", "<= 25ms", ""}};
  result.metrics = {{"training.samplesPerSecond", Statistic::kMean, 2480.0, 40}};
  EXPECT_EQ(Headline(result, "training.samplesPerSecond"), "p99=31ms (<= 25ms)");
}

TEST(Headline, OfAModeWithoutStepsCountsItsGates) {
  RunResult result;
  EXPECT_EQ(Headline(result, ""), "");
  result.gates = {Met("DeviceCount"), {"CpuLimit", GateResult::kRecorded, false, "2", "", ""}};
  EXPECT_EQ(Headline(result, ""), "2 checks ok");
  result.gates.push_back({"Driver", GateResult::kNotEvaluated, false, "", "", ""});
  EXPECT_EQ(Headline(result, ""), "2 checks ok");
  result.gates.push_back({"Threads", GateResult::kWarned, false, "", "", ""});
  EXPECT_EQ(Headline(result, ""), "3 checks, warned: Threads");
  result.gates.push_back({"Gemm", GateResult::kFailed, false, "", "", ""});
  EXPECT_EQ(Headline(result, ""), "Gemm failed");
}

}  // namespace
}  // namespace torchsoak::stresstest
