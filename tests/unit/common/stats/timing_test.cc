#include "common/stats/timing.h"

#include <gtest/gtest.h>

#include <vector>

namespace torchsoak::stats {
namespace {

TEST(Timing, QuantilesLieBetweenNeighbours) {
  const std::vector<double> times = {1, 2, 3, 4, 10};
  EXPECT_DOUBLE_EQ(QuantileOfSorted(times, 0.5), 3);
  EXPECT_DOUBLE_EQ(QuantileOfSorted(times, 0.25), 2);
  EXPECT_DOUBLE_EQ(QuantileOfSorted(times, 0.9), 4 + 0.6 * 6);
  EXPECT_DOUBLE_EQ(QuantileOfSorted(times, 0), 1);
  EXPECT_DOUBLE_EQ(QuantileOfSorted(times, 1), 10);
  EXPECT_DOUBLE_EQ(QuantileOfSorted({}, 0.5), 0);
}

TEST(Timing, OfSomeBlocks) {
  const std::vector<double> times = {1, 2, 3, 4};
  const Timing timing = TimingOf(times);
  EXPECT_DOUBLE_EQ(timing.median, 2.5);
  EXPECT_DOUBLE_EQ(timing.p25, 1.75);
  EXPECT_DOUBLE_EQ(timing.p75, 3.25);
  EXPECT_DOUBLE_EQ(timing.iqr, 1.5);
  EXPECT_NEAR(timing.std_dev, 1.2909944, 1e-7);  // sqrt(5 / 3)
  EXPECT_DOUBLE_EQ(timing.Spread(), 0.6);
}

TEST(Timing, OneBlockAndNoneHaveNoSpread) {
  const std::vector<double> one = {0.25};
  EXPECT_DOUBLE_EQ(TimingOf(one).median, 0.25);
  EXPECT_EQ(TimingOf(one).std_dev, 0);
  EXPECT_EQ(TimingOf(one).Spread(), 0);
  EXPECT_EQ(TimingOf({}).Spread(), 0);
  EXPECT_EQ(SignificantFigures({}), 1);
}

// The middle of 100 blocks between 1 ms ± 1 %: 50 points with a deviation of 0.2886 of their range
// of 10 us, so an interval of 1.645 * 2.9 us / sqrt(50) = 0.67 us: log10(1000 / 0.67) = 3.17.
TEST(Timing, SignificantFigures) {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) times.push_back(1e-3 * (0.99 + 0.02 * i / 99));
  EXPECT_EQ(SignificantFigures(times), 3);
  EXPECT_EQ(SignificantFigures(std::vector<double>(100, 1.0)), 4);        // never more
  EXPECT_EQ(SignificantFigures(std::vector<double>(100, 1e-6)), 1);       // 25 ns of the clock
  EXPECT_EQ(SignificantFigures(std::vector<double>{1e-9, 1.0, 5.0}), 1);  // never fewer
}

}  // namespace
}  // namespace torchsoak::stats
