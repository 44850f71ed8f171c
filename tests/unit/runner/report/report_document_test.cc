#include "runner/report/report_document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "common/base/bytes.h"
#include "runner/report/conclusion.h"
#include "tests/unit/runner/report/sample_run.h"

namespace torchsoak::runner {
namespace {

using std::chrono::seconds;

RunFacts Facts() {
  RunFacts facts{SampleRun(), TrainingSpec(), {}, WallTime(seconds(1'767'323'045))};
  facts.run.source_revision = "abc123";
  return facts;
}

Json Report(const Snapshot& snapshot, const End& end = {}, int level = 0) {
  const RunFacts facts = Facts();
  const auto result = ConcludeRun(facts.run, facts.spec, snapshot, end, "");
  return BuildReport({facts, snapshot, end, result, facts.started + seconds(20)}, level);
}

/// True when no number anywhere is NaN or infinite and no value is null.
bool AllDefined(const Json& json) {
  if (json.is_null()) return false;
  if (json.is_number_float()) return std::isfinite(json.get<double>());
  if (!json.is_structured()) return true;
  return std::all_of(json.begin(), json.end(), [](const Json& item) { return AllDefined(item); });
}

TEST(ReportDocument, HasEveryPart) {
  const Json report = Report(MeasuredSnapshot({}));
  EXPECT_EQ(report["schema"], "torchsoak/v1");
  for (const char* key : {"test", "spec", "outcome", "gates", "metrics", "series", "histograms",
                          "leaks", "environment", "times", "timeline", "trace"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["sourceRevision"], "abc123");
  EXPECT_EQ(report["outcome"]["verdict"], "Passed");
  EXPECT_EQ(report["times"]["started"], "2026-01-02T03:04:05.000Z");
}

TEST(ReportDocument, AnUndefinedNumberIsAbsentAndSaysWhy) {
  RunShape shape;
  shape.steps = 1;
  shape.loss = std::numeric_limits<double>::quiet_NaN();
  const Json report = Report(MeasuredSnapshot(shape));
  EXPECT_TRUE(AllDefined(report)) << report.dump(1);
  EXPECT_EQ(report["nonFiniteLoss"]["step"], 0);
  for (const Json& metric : report["metrics"]) {
    EXPECT_NE(metric.contains("value"), metric.contains("reason")) << metric;
    if (metric["name"] == "training.loss") {
      EXPECT_EQ(metric["samples"], 0);
    }
  }
}

TEST(ReportDocument, ARunThatNeverMeasuredHasAReport) {
  Snapshot snapshot;
  snapshot.outcome =
      contract::Outcome{contract::Verdict::kError, contract::Reason::kPreflightFailed, "Device: x"};
  const Json report = Report(snapshot);
  EXPECT_TRUE(AllDefined(report));
  EXPECT_FALSE(report.contains("series"));
  EXPECT_EQ(report["outcome"]["reason"], "PreflightFailed");
}

TEST(ReportDocument, TheTimelineAddsUpToTheWallTime) {
  Snapshot snapshot = MeasuredSnapshot({});
  snapshot.spent[static_cast<std::size_t>(Phase::kPreflight)] = seconds(2);
  const Json report = Report(snapshot, {End::Cause::kStalled, "step 3", seconds(5)});
  double sum = 0;
  for (const Json& part : report["timeline"]) sum += part.get<double>();
  EXPECT_DOUBLE_EQ(sum, 20);
  EXPECT_DOUBLE_EQ(report["timeline"]["stalled"].get<double>(), 5);
  EXPECT_DOUBLE_EQ(report["timeline"]["measured"].get<double>(), 13);
}

TEST(ReportDocument, EachLevelIsSmaller) {
  RunShape shape;
  shape.steps = 5000;
  const Snapshot snapshot = MeasuredSnapshot(shape);
  std::size_t size = DumpJson(Report(snapshot)).size();
  for (int level = 1; level < kDetailLevels; ++level) {
    const std::size_t smaller = DumpJson(Report(snapshot, {}, level)).size();
    EXPECT_LT(smaller, size) << level;
    size = smaller;
  }
}

TEST(ReportDocument, TheFramesGiveTheSameBytes) {
  const RunFacts facts = Facts();
  RunShape shape;
  shape.steps = 5000;
  const Snapshot snapshot = MeasuredSnapshot(shape);
  const End end;
  const auto result = ConcludeRun(facts.run, facts.spec, snapshot, end, "");
  const auto packed = PackReport({facts, snapshot, end, result, facts.started + seconds(60)});
  ASSERT_TRUE(packed);
  const auto gzip = contract::UnframeReport(packed->framed.lines, packed->framed.ref);
  ASSERT_TRUE(gzip) << gzip.error().message;
  EXPECT_EQ(*Gunzip(*gzip, contract::kMaxReportJson), packed->json);
}

}  // namespace
}  // namespace torchsoak::runner
