#include "runner/stats/series.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace torchsoak::runner {
namespace {

TEST(Series, KeepsFewValuesAsTheyAre) {
  Series series;
  series.Add(1, 3);
  series.Add(2, 1);
  const auto points = series.Points();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1].x, 2);
  EXPECT_EQ(points[1].min, 1);
  EXPECT_EQ(points[1].median, 1);
  EXPECT_TRUE(series.ToJson(512).contains("value"));
}

TEST(Series, NeverHasMoreThanItsPoints) {
  Series series;
  for (int i = 0; i < 100'000; ++i) {
    series.Add(i, i);
    ASSERT_LE(series.Points().size(), 512U) << i;
    if (i > 2000) i += 97;
  }
}

TEST(Series, BucketsCoverEveryValueInOrder) {
  Series series;
  constexpr int kValues = 100'003;
  for (int i = 0; i < kValues; ++i) series.Add(i, i);
  std::int64_t total = 0;
  double last = -1;
  for (const Series::Point& point : series.Points()) {
    EXPECT_EQ(point.min, last + 1);  // exact, though thousands of values were joined
    EXPECT_EQ(point.max, point.x);
    EXPECT_NEAR(point.median, (point.min + point.max) / 2, static_cast<double>(point.count) / 8);
    last = point.max;
    total += point.count;
  }
  EXPECT_EQ(total, kValues);
  EXPECT_EQ(series.count(), kValues);
  EXPECT_EQ(series.last(), kValues - 1);
}

TEST(Series, KeepsTheOneSpike) {
  Series series;
  for (int i = 0; i < 50'000; ++i) series.Add(i, i == 31'234 ? 9.0 : 1.0);
  double highest = 0;
  for (const Series::Point& point : series.Points()) highest = std::max(highest, point.max);
  EXPECT_EQ(highest, 9);
  EXPECT_EQ(series.max(), 9);
}

TEST(Series, LeavesOutWhatIsNotFinite) {
  Series series;
  series.Add(1, std::numeric_limits<double>::quiet_NaN());
  series.Add(2, std::numeric_limits<double>::infinity());
  series.Add(3, 5);
  EXPECT_EQ(series.count(), 1);
  EXPECT_EQ(series.left_out(), 2);
  EXPECT_EQ(series.ToJson(512)["notFinite"], 2);
}

TEST(Series, AnEmptyOneGivesEmptyLists) {
  const Json json = Series().ToJson(512);
  EXPECT_EQ(json["samples"], 0);
  EXPECT_TRUE(json["x"].empty());
}

TEST(Series, ASmallerDocumentJoinsFurther) {
  Series series;
  for (int i = 0; i < 5000; ++i) series.Add(i, i);
  const Json json = series.ToJson(32);
  EXPECT_LE(json["x"].size(), 32U);
  EXPECT_EQ(json["x"].size(), json["median"].size());
  EXPECT_EQ(json["max"].back(), 4999);
}

}  // namespace
}  // namespace torchsoak::runner
