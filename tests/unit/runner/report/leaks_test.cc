#include "runner/report/leaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/conclusion.h"
#include "tests/unit/runner/report/sample_run.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;
using contract::LeakResult;
using std::chrono::seconds;
using testing::HasSubstr;

/// A healthy training run of an hour whose own memory follows `anonymous` (seconds → bytes).
template <typename Anonymous>
Snapshot SampledHour(Anonymous anonymous) {
  Snapshot snapshot = MeasuredSnapshot({});
  auto measured = std::make_shared<Measurements>(*snapshot.measured);
  for (int second = 1; second <= 3600; ++second) {
    measured->AddProcess(seconds(second), {1 << 30, anonymous(second), 12, 3});
  }
  MeasuredStep last;
  last.at = seconds(3600);
  last.loss = 1.0;
  last.quiescent = false;
  measured->Add(last);
  snapshot.measured = std::move(measured);
  return snapshot;
}

std::int64_t Leaking(int second) { return (512 << 20) + second * 20'000; }
std::int64_t Filled(int second) { return (512 << 20) + (second / 1200 * (100 << 20)); }
std::int64_t Level(int) { return 512 << 20; }

const contract::Gate* Growth(const std::vector<contract::Gate>& gates) {
  const auto found = std::ranges::find(gates, "Growth", &contract::Gate::name);
  return found != gates.end() ? &*found : nullptr;
}

TEST(Leaks, AGrowingCurveFailsTheRunWithRateAndInterval) {
  const Snapshot snapshot = SampledHour(Leaking);
  const auto result = ConcludeRun(SampleRun(), TrainingSpec(), snapshot, {}, "");
  EXPECT_EQ(result.core.outcome->verdict, contract::Verdict::kFailed);
  EXPECT_EQ(result.core.outcome->reason, contract::Reason::kLeakFound);
  EXPECT_THAT(result.core.outcome->message,
              HasSubstr("process.rssAnon grows by 68.81MiB/h (95%: "));
  const auto leak = std::ranges::find(result.leaks, "process.rssAnon", &contract::Leak::name);
  ASSERT_NE(leak, result.leaks.end());
  EXPECT_EQ(leak->result, LeakResult::kFound);
  EXPECT_NEAR(leak->per_hour, 72e6, 1e6);
}

TEST(Leaks, AFewStepsAreASuspicionThatWarns) {
  const auto gates = LeakGates(FindLeaks(*SampledHour(Filled).measured));
  ASSERT_NE(Growth(gates), nullptr);
  EXPECT_EQ(Growth(gates)->result, GateResult::kWarned);
  EXPECT_THAT(Growth(gates)->message, HasSubstr("run longer"));
}

TEST(Leaks, ALevelCurvePassesWithoutASentence) {
  const auto gates = LeakGates(FindLeaks(*SampledHour(Level).measured));
  ASSERT_NE(Growth(gates), nullptr);
  EXPECT_EQ(Growth(gates)->result, GateResult::kPassed);
  EXPECT_EQ(Growth(gates)->message, "");
}

TEST(Leaks, AShortRunIsNotEvaluatedAndSaysHowLongIsNeeded) {
  const auto gates = LeakGates(FindLeaks(*MeasuredSnapshot({}).measured));
  ASSERT_NE(Growth(gates), nullptr);
  EXPECT_EQ(Growth(gates)->result, GateResult::kNotEvaluated);
  EXPECT_THAT(Growth(gates)->message, HasSubstr("5 minutes"));
}

TEST(Leaks, TheReportCarriesTheNumbersOfTheTest) {
  const auto findings = FindLeaks(*SampledHour(Leaking).measured);
  ASSERT_EQ(findings.size(), 4U);  // the exact test and three curves
  EXPECT_FALSE(findings[0].growth);
  ASSERT_TRUE(findings[1].growth);
  EXPECT_EQ(findings[1].growth->windows, 24);
  EXPECT_LT(findings[1].growth->p, 0.001);
  EXPECT_EQ(findings[1].samples, 3600);
}

}  // namespace
}  // namespace torchsoak::runner
