#include "common/contract/metrics.h"

#include "common/contract/modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace torchsoak::contract {
namespace {

TEST(Metrics, SortedByNameWithoutDoubles) {
  const auto metrics = AllMetrics();
  EXPECT_TRUE(std::is_sorted(metrics.begin(), metrics.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const MetricInfo& metric : metrics) {
    EXPECT_EQ(FindMetric(metric.name), &metric);
    EXPECT_FALSE(metric.statistics.empty());
    EXPECT_TRUE(std::ranges::any_of(AllModes(), [&](const ModeInfo& info) {
      return Measures(info.mode, metric.name);
    })) << metric.name;
    EXPECT_FALSE(metric.description.empty());
  }
  EXPECT_EQ(FindMetric("training.steptime"), nullptr);
  EXPECT_EQ(FindMetric(""), nullptr);
}

TEST(Metrics, DefaultStatistics) {
  EXPECT_EQ(FindMetric("training.stepTime")->statistics.front(), Statistic::kP50);
  EXPECT_EQ(FindMetric("inference.latency")->statistics.front(), Statistic::kP50);
  EXPECT_EQ(FindMetric("training.epochTime")->statistics.front(), Statistic::kMean);
  EXPECT_EQ(FindMetric("training.samplesPerSecond")->statistics.front(), Statistic::kMean);
  EXPECT_EQ(FindMetric("gemm.flopsPerSecond")->statistics.front(), Statistic::kP10);
  EXPECT_EQ(FindMetric("training.loss")->statistics.front(), Statistic::kLast);
  EXPECT_EQ(FindMetric("process.rss")->statistics.front(), Statistic::kMax);
}

TEST(Metrics, StatisticWordsAndBack) {
  for (int i = 0; i <= static_cast<int>(Statistic::kLast); ++i) {
    const auto statistic = static_cast<Statistic>(i);
    EXPECT_EQ(ParseStatistic(ToString(statistic)), statistic);
  }
  EXPECT_FALSE(ParseStatistic("p99"));
  EXPECT_FALSE(ParseStatistic(""));
}

}  // namespace
}  // namespace torchsoak::contract
