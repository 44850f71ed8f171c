#include "runner/report/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using contract::Statistic;

TEST(Headline, ShowsWhatIsDefinedWithUnits) {
  const std::vector<contract::MetricValue> metrics = {
      {"training.stepTime", Statistic::kP50, 0.0213, 100},
      {"training.stepTime", Statistic::kP99, std::nullopt, 100},
      {"training.samplesPerSecond", Statistic::kMean, 2480.0, 100}};
  EXPECT_THAT(Headlines(metrics),
              testing::ElementsAre("throughput 2480/s", "step time p50 21.3ms"));
}

TEST(Headline, NothingMeasuredGivesNoLine) { EXPECT_TRUE(Headlines({}).empty()); }

}  // namespace
}  // namespace torchsoak::runner
