// A report of the real writer is verified; each edit of it is not.

#include "runner/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/conclusion.h"
#include "runner/report/report_document.h"
#include "tests/unit/runner/report/sample_run.h"

namespace torchsoak::runner {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kSeconds = 600;

Json SpecJson() {
  return {{"mode", "Training"},
          {"training", {{"checks", {"FiniteLoss"}}}},
          {"maxIterations", kSeconds},
          {"thresholds",
           {{{"name", "p50"}, {"metric", "training.stepTime"}, {"max", "20ms"}},
            {{"name", "rate"}, {"metric", "training.samplesPerSecond"}, {"min", "10"}}}}};
}

struct Shape {
  double slower = 1;       ///< factor on the samples of the second half
  std::int64_t grows = 0;  ///< bytes of own memory a second
  double loss = 1;
};

/// A run that was measured to its end, as the real writer reports it.
Json ReportOf(const std::shared_ptr<Measurements>& measured, const Json& spec) {
  Snapshot snapshot;
  snapshot.phase = Phase::kMeasure;
  snapshot.measured = measured;
  snapshot.completed = true;
  snapshot.canaries = {{"Stall", Canary::State::kProven, ""}};
  snapshot.gates = {{"Canaries", contract::GateResult::kPassed, false, "1 of 1 proven", "", ""}};
  RunFacts facts;
  facts.run = SampleRun();
  facts.run.spec = spec;
  facts.spec = *contract::ParseSpec(facts.run.spec);
  const End end;
  const auto result = ConcludeRun(facts.run, facts.spec, snapshot, end, "");
  return BuildReport({facts, snapshot, end, result, WallTime(seconds(kSeconds))});
}

/// Ten minutes, a step a second, as the real writer reports it.
Json Report(const Shape& shape) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kTraining);
  for (int i = 1; i <= kSeconds; ++i) {
    const std::array<std::int64_t, 1> latency = {10'000'000 + i * 1000};
    MeasuredStep step;
    step.at = seconds(i);
    step.work = 1000 * (i > kSeconds / 2 ? shape.slower : 1);
    step.loss = shape.loss;
    step.latencies_ns = latency;
    step.memory = {35, 1000, 2000 + i, 3000};
    measured->Add(step);
    measured->AddProcess(seconds(i), {1 << 30, (100 << 20) + shape.grows * i, 12, 3});
  }
  return ReportOf(measured, SpecJson());
}

std::vector<std::string> ProblemsOf(const Json& report) {
  const auto verification = VerifyReport(report);
  return verification ? verification->problems
                      : std::vector<std::string>{verification.error().message};
}

/// An editor who knows of the seal.
std::vector<std::string> ProblemsAfter(Json report, const char* pointer, const Json& value) {
  report[Json::json_pointer(pointer)] = value;
  report["seal"] = SealOf(report);
  return ProblemsOf(report);
}

std::string At(const Json& report, const char* list, const char* key, const char* name) {
  const Json& items = report.at(list);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].at(key) == name) return "/" + std::string(list) + "/" + std::to_string(i);
  }
  ADD_FAILURE() << name << " is not in " << list;
  return "/";
}

TEST(Verify, WhatTheRunnerWritesIsVerified) {
  for (const Shape& shape : {Shape{}, Shape{0.7, 0, 1}, Shape{1, 100'000, 1}, Shape{0.004, 0, 1},
                             Shape{1, 0, std::nan("")}}) {
    const auto verification = VerifyReport(Report(shape));
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, IsEmpty())
        << contract::ToString(verification->claimed.reason);
    EXPECT_GE(verification->numbers, 13);
    EXPECT_GE(verification->gates, 6);
  }
}

/// Five hundred products, of which some were wrong, as the real writer reports them.
Json ReportOfProducts(std::int64_t wrong) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kGemm);
  for (int i = 1; i <= 500; ++i) {
    const std::array<std::int64_t, 1> latency = {800'000'000};
    MeasuredStep step;
    step.at = seconds(i);
    step.work = 2e12;
    step.aside = std::chrono::milliseconds(200);
    step.latencies_ns = latency;
    step.memory = {5, 1000, 2000, 3000};
    step.checks = {1, i <= wrong ? 1 : 0, 0, i <= wrong ? "cpu: wrong" : ""};
    measured->Add(step);
    measured->AddProcess(seconds(i), {1 << 30, 100 << 20, 12, 3});
  }
  return ReportOf(measured,
                  {{"mode", "Gemm"},
                   {"gemm", Json::object()},
                   {"duration", "500s"},
                   {"gpu", {{"perPod", 0}}},
                   {"thresholds",
                    {{{"name", "rate"}, {"metric", "gemm.flopsPerSecond"}, {"min", "2TFLOP/s"}}}}});
}

TEST(Verify, ProductsAreVerified) {
  for (const std::int64_t wrong : {0, 1}) {
    const auto verification = VerifyReport(ReportOfProducts(wrong));
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, IsEmpty());
    EXPECT_EQ(verification->claimed.reason,
              wrong > 0 ? contract::Reason::kWrongResult : contract::Reason::kAllGatesMet);
  }
}

TEST(Verify, AWrongProductCannotBeEditedAway) {
  EXPECT_THAT(ProblemsAfter(ReportOfProducts(1), "/checks/wrong", 0),
              testing::Contains(HasSubstr("gate WrongResult")));
  EXPECT_THAT(ProblemsAfter(ReportOfProducts(0), "/checks/results", 0),
              testing::Contains(HasSubstr("gate WrongResult")));
  EXPECT_THAT(ProblemsAfter(ReportOfProducts(0), "/checks/unchecked", 1),
              testing::Contains(HasSubstr("gate WrongResult")));
  EXPECT_THAT(ProblemsAfter(ReportOfProducts(0), "/checks/covered", 0.9),
              testing::Contains(HasSubstr("gate WrongResult")));
  EXPECT_THAT(ProblemsAfter(ReportOfProducts(0), "/measured/flops", 1e12),
              testing::Contains(HasSubstr("gemm.flopsPerSecond")));
}

/// Fifty blocks of an adaptive benchmark; every second one takes `longer` as long.
Json ReportOfBlocks(double longer, bool settled) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kBenchmark);
  for (int i = 1; i <= 50; ++i) {
    const auto time =
        std::chrono::nanoseconds(static_cast<std::int64_t>(1e8 * (i % 2 ? 1 : longer)));
    MeasuredStep step;
    step.at = seconds(i);
    step.steps = 10;
    step.work = 320;
    step.block = TimedBlock{time, i == 50, settled};
    measured->Add(step);
    measured->AddProcess(seconds(i), {1 << 30, 100 << 20, 12, 3});
  }
  return ReportOf(measured, {{"mode", "Benchmark"},
                             {"benchmark", {{"timer", {{"method", "AdaptiveAutorange"}}}}},
                             {"gpu", {{"perPod", 0}}}});
}

TEST(Verify, BlocksAreVerified) {
  const auto calm = VerifyReport(ReportOfBlocks(1.01, true));
  ASSERT_TRUE(calm);
  EXPECT_THAT(calm->problems, IsEmpty());
  EXPECT_EQ(calm->claimed.reason, contract::Reason::kAllGatesMet);
  const auto wild = VerifyReport(ReportOfBlocks(2, false));
  ASSERT_TRUE(wild);
  EXPECT_THAT(wild->problems, IsEmpty());
  EXPECT_EQ(wild->claimed.reason, contract::Reason::kUnstable);
}

TEST(Verify, BlocksThatDoNotAgreeCannotBeEditedAway) {
  EXPECT_THAT(ProblemsAfter(ReportOfBlocks(2, false), "/benchmark/settled", true),
              testing::Contains(HasSubstr("too few or differ by more than the threshold")));
  EXPECT_THAT(ProblemsAfter(ReportOfBlocks(1.01, true), "/benchmark/median", 0.005),
              testing::Contains(HasSubstr("benchmark.median is not what the block times give")));
  EXPECT_THAT(ProblemsAfter(ReportOfBlocks(1.01, true), "/benchmark/mean", 0.005),
              testing::Contains(HasSubstr("benchmark.mean is not what the block times give")));
  EXPECT_THAT(ProblemsAfter(ReportOfBlocks(1.01, true), "/benchmark/runsPerBlock", 9),
              testing::Contains(HasSubstr("benchmark.mean is not what the block times give")));
  EXPECT_THAT(ProblemsAfter(ReportOfBlocks(1.01, true), "/benchmark/settled", false),
              testing::Contains(HasSubstr("gate Timing")));
}

TEST(Verify, TheSamplesHaveTheVerdictsThatTheyAreMeantToHave) {
  EXPECT_EQ(VerifyReport(Report({}))->claimed.reason, contract::Reason::kAllGatesMet);
  EXPECT_EQ(VerifyReport(Report({1, 100'000, 1}))->claimed.reason, contract::Reason::kLeakFound);
  EXPECT_EQ(VerifyReport(Report({1, 0, std::nan("")}))->claimed.reason,
            contract::Reason::kNonFiniteLoss);
}

TEST(Verify, AnEditBreaksTheSeal) {
  Json report = Report({});
  report["outcome"]["message"] = "all is well";
  EXPECT_THAT(ProblemsOf(report), testing::ElementsAre(HasSubstr("changed after it was written")));
}

TEST(Verify, AVerdictThatTheGatesDoNotGiveIsRefused) {
  Json report = Report({1, 100'000, 1});
  report["outcome"]["verdict"] = "Passed";
  report["outcome"]["reason"] = "AllGatesMet";
  EXPECT_THAT(ProblemsAfter(report, "/outcome/exit", 0),
              testing::Contains(HasSubstr("but the gates give Failed/LeakFound")));
}

TEST(Verify, AGateThatTheCurvesDoNotGiveIsRefused) {
  const Json leaking = Report({1, 100'000, 1});
  EXPECT_THAT(ProblemsAfter(leaking, (At(leaking, "gates", "name", "Growth") + "/result").c_str(),
                            "Passed"),
              testing::Contains(HasSubstr("gate Growth is given as Passed, but the evidence gives "
                                          "Failed")));
  const Json slower = Report({0.7, 0, 1});
  EXPECT_THAT(
      ProblemsAfter(slower, (At(slower, "gates", "name", "Drift") + "/result").c_str(), "Passed"),
      testing::Contains(HasSubstr("gate Drift")));
  const Json spoilt = Report({1, 0, std::nan("")});
  EXPECT_THAT(ProblemsAfter(spoilt, (At(spoilt, "gates", "name", "FiniteLoss") + "/result").c_str(),
                            "Passed"),
              testing::Contains(HasSubstr("gate FiniteLoss")));
}

TEST(Verify, ANumberThatTheEvidenceDoesNotGiveIsRefused) {
  const Json report = Report({});
  for (const char* name :
       {"training.stepTime", "training.samplesPerSecond", "memory.allocated", "process.rssAnon"}) {
    EXPECT_THAT(
        ProblemsAfter(report, (At(report, "metrics", "name", name) + "/value").c_str(), 1e-3),
        testing::Contains(HasSubstr(std::string(name))))
        << name;
  }
}

TEST(Verify, AThresholdIsHeldAgainstTheNumbersAgain) {
  EXPECT_THAT(ProblemsAfter(Report({}), "/spec/thresholds/0/max", "1ms"),
              testing::Contains(HasSubstr("gate p50 is given as Passed, but the evidence gives "
                                          "Failed")));
  Json less = Report({});
  less["gates"].erase(less["gates"].size() - 1);
  EXPECT_THAT(ProblemsAfter(less, "/outcome/exit", 0),
              testing::Contains(HasSubstr("gate rate is missing")));
}

TEST(Verify, ADeadCanaryOrNoneForbidsAPass) {
  EXPECT_THAT(ProblemsAfter(Report({}), "/canaries/0/state", "dead"),
              testing::Contains(HasSubstr("gate Canaries")));
  EXPECT_THAT(ProblemsAfter(Report({}), "/canaries", Json::array()),
              testing::Contains(HasSubstr("did not show its detectors a fault")));
}

TEST(Verify, AnyOtherDocumentIsRefusedWithoutACrash) {
  EXPECT_FALSE(VerifyReport(Json()));
  EXPECT_FALSE(VerifyReport({{"schema", "torchsoak/v2"}}));
  EXPECT_FALSE(VerifyReport({{"schema", kReportSchema}}));
  const Json report = Report({});
  const Json flat = report.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (const Json& wrong : {Json(), Json("x"), Json(-1e300), Json::array({1}), Json::object()}) {
      Json edited = report;
      edited[Json::json_pointer(pointer)] = wrong;
      (void)VerifyReport(edited);
    }
    if (pointer.starts_with("/histograms/0/buckets/3")) break;  // the rest is more of the same
  }
}

}  // namespace
}  // namespace torchsoak::runner
