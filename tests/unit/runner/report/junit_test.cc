#include "runner/report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;
using testing::Not;

Json Report(const char* verdict, const char* reason, Json gates) {
  return {{"test", {{"name", "nightly"}}},
          {"outcome", {{"verdict", verdict}, {"reason", reason}, {"message", "why"}}},
          {"gates", std::move(gates)},
          {"metrics",
           {{{"name", "training.stepTime"}, {"statistic", "P50"}, {"text", "12ms"}, {"value", 1}},
            {{"name", "training.loss"}, {"statistic", "Last"}, {"reason", "none"}}}},
          {"times", {{"started", "2026-01-01T00:00:00Z"}}},
          {"timeline", {{"measured", 20.5}, {"warmup", 2}}}};
}

TEST(Junit, AHealthyRunHasNoFailure) {
  const std::string xml =
      RenderJunit(Report("Passed", "AllGatesMet",
                         {{{"name", "FiniteLoss"}, {"result", "Passed"}, {"user", false}},
                          {{"name", "Growth"}, {"result", "NotEvaluated"}, {"user", false}},
                          {{"name", "Threads"}, {"result", "Warned"}, {"message", "many"}}}));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"torchsoak.nightly\" tests=\"4\" failures=\"0\" "
                             "errors=\"0\" skipped=\"1\" time=\"22.500\" "
                             "timestamp=\"2026-01-01T00:00:00Z\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"torchsoak.nightly\" name=\"verdict\"/>"));
  EXPECT_THAT(xml, HasSubstr("<system-out>warning: many</system-out>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"training.stepTime P50\" value=\"12ms\"/>"));
  EXPECT_THAT(xml, Not(HasSubstr("training.loss")));
}

TEST(Junit, AFailedGateIsAFailureWithNumbers) {
  const std::string xml = RenderJunit(Report("Failed", "ThresholdBreached",
                                             {{{"name", "p99"},
                                               {"result", "Failed"},
                                               {"user", true},
                                               {"observed", "31ms"},
                                               {"limit", "<= 25ms"},
                                               {"message", "31ms > 25ms"}}}));
  EXPECT_THAT(xml, HasSubstr("failures=\"2\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"Failed: why\" type=\"ThresholdBreached\"/>"));
  EXPECT_THAT(
      xml, HasSubstr("<failure message=\"31ms &gt; 25ms (limit &lt;= 25ms)\" type=\"Failed\"/>"));
}

TEST(Junit, WhatIsNoPassIsNeverGreen) {
  for (const char* verdict : {"Error", "Inconclusive", "Aborted", ""}) {
    EXPECT_THAT(RenderJunit(Report(verdict, "Any", Json::array())), HasSubstr("errors=\"1\""))
        << verdict;
  }
  const Json asked = {{{"name", "p99"}, {"result", "NotEvaluated"}, {"user", true}}};
  EXPECT_THAT(RenderJunit(Report("Inconclusive", "TooFewSamples", asked)),
              HasSubstr("errors=\"2\""));
  EXPECT_THAT(RenderJunit(Json::object()), HasSubstr("errors=\"1\""));
}

TEST(Junit, HostileTextStaysText) {
  Json report = Report("Failed", "RunnerCrashed", Json::array());
  report["outcome"]["message"] = "a \"<b>\" & \x01\n]]>";
  EXPECT_THAT(RenderJunit(report),
              HasSubstr("\"Failed: a &quot;&lt;b&gt;&quot; &amp; ?&#10;]]&gt;\""));
}

}  // namespace
}  // namespace torchsoak::runner
