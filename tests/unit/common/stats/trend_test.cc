#include "common/stats/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace torchsoak::stats {
namespace {

using Values = std::vector<double>;

Values UpTo(int n) {
  Values values;
  for (int i = 1; i <= n; ++i) values.push_back(i);
  return values;
}

TEST(Trend, UnitVector) {
  const RiseTest test = TestRise(UpTo(10));
  EXPECT_EQ(test.s, 45);
  EXPECT_EQ(test.correction, 1);
  EXPECT_DOUBLE_EQ(test.variance, 125);
  EXPECT_NEAR(test.z, 3.9355, 5e-5);
  EXPECT_NEAR(test.p, 4.15e-5, 1e-7);
  EXPECT_DOUBLE_EQ(TheilSenSlope(UpTo(10)), 1);
}

TEST(Trend, ConstantIsNoRise) {
  const Values flat(30, 7.0);
  const RiseTest test = TestRise(flat);
  EXPECT_EQ(test.s, 0);
  EXPECT_EQ(test.z, 0);
  EXPECT_EQ(test.p, 1);
  EXPECT_EQ(TheilSenSlope(flat), 0);
  EXPECT_EQ(GrowthSteps(flat), 0);
}

TEST(Trend, FallingHasNoSmallP) {
  Values values = UpTo(10);
  std::ranges::reverse(values);
  EXPECT_EQ(TestRise(values).s, -45);
  EXPECT_GT(TestRise(values).p, 0.99);
  EXPECT_DOUBLE_EQ(TheilSenSlope(values), -1);
}

TEST(Trend, TiesMakeTheVarianceSmaller) {
  // 2 groups of 2 and of 3 among 5 values: (5·4·15 − 2·1·9 − 3·2·11) / 18
  const Values values = {1, 1, 2, 2, 2};
  EXPECT_DOUBLE_EQ(TestRise(values).variance / TestRise(values).correction, (300.0 - 18 - 66) / 18);
}

TEST(Trend, NeighboursThatAreAlikeMakeItLarger) {
  std::mt19937_64 chance(1);
  std::normal_distribution<double> noise;
  Values values;
  double level = 0;
  for (int i = 0; i < 100; ++i) values.push_back(level = 0.9 * level + noise(chance));
  EXPECT_GT(TestRise(values).correction, 2);
}

TEST(Trend, SlopeIsMovedAndScaledWithTheValues) {
  std::mt19937_64 chance(2);
  std::normal_distribution<double> noise;
  Values values;
  for (int i = 0; i < 40; ++i) values.push_back(0.3 * i + noise(chance));
  Values moved = values;
  for (double& value : moved) value = 5 * value + 1000;
  EXPECT_EQ(TestRise(values).s, TestRise(moved).s);
  EXPECT_NEAR(TheilSenSlope(moved), 5 * TheilSenSlope(values), 1e-9);
  const SlopeInterval interval = TheilSen(values, TestRise(values).variance);
  EXPECT_LT(interval.low, interval.slope);
  EXPECT_GT(interval.high, interval.slope);
  EXPECT_EQ(interval.slope, TheilSenSlope(values));
}

// The interval holds the true slope in about 95 of 100 samples.
TEST(Trend, IntervalHoldsTheTrueSlope) {
  std::mt19937_64 chance(3);
  std::normal_distribution<double> noise;
  constexpr int kSamples = 1000;
  int held = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    Values values;
    for (int i = 0; i < 24; ++i) values.push_back(0.1 * i + noise(chance));
    const RiseTest test = TestRise(values);
    const SlopeInterval interval = TheilSen(values, test.variance / test.correction);
    held += interval.low <= 0.1 && 0.1 <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(held / static_cast<double>(kSamples), 0.95, 3 * std::sqrt(0.95 * 0.05 / kSamples));
}

TEST(Trend, GrowthSteps) {
  EXPECT_DOUBLE_EQ(GrowthSteps(UpTo(11)), 10);
  EXPECT_DOUBLE_EQ(GrowthSteps(Values{1, 1, 1, 5, 5, 5}), 1);
  EXPECT_DOUBLE_EQ(GrowthSteps(Values{1, 9, 1, 9, 1}), 0) << "growth that does not remain";
  EXPECT_EQ(GrowthSteps(Values{}), 0);
}

TEST(Trend, FewValues) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median(Values{4}), 4);
  EXPECT_EQ(Median(Values{4, 1, 2, 8}), 3);
  EXPECT_EQ(TheilSenSlope(Values{4}), 0);
  EXPECT_EQ(TestRise(Values{4}).p, 1);
  EXPECT_EQ(TestRise({}).p, 1);
  EXPECT_EQ(TheilSen({}, 0).slope, 0);
}

}  // namespace
}  // namespace torchsoak::stats
