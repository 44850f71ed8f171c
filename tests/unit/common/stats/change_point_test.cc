#include "common/stats/change_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace torchsoak::stats {
namespace {

using Values = std::vector<double>;

constexpr int kRuns = 500;
constexpr std::size_t kWindows = 120;

TEST(ChangePoint, UnitVector) {
  Values values;
  for (int i = 1; i <= 10; ++i) values.push_back(i);
  for (int i = 101; i <= 110; ++i) values.push_back(i);
  const Pettitt test = TestChange(values);
  EXPECT_EQ(test.k, 100);
  EXPECT_EQ(test.at, 10U);
  EXPECT_NEAR(test.p, 0.001581, 5e-7);
  ASSERT_EQ(FindChanges(values).size(), 1U);
  EXPECT_EQ(FindChanges(values)[0].at, 10U);
  EXPECT_EQ(FindChanges(values)[0].before, 5.5);
  EXPECT_EQ(FindChanges(values)[0].after, 105.5);
}

TEST(ChangePoint, NoneInFewOrEqualValues) {
  EXPECT_EQ(TestChange({}).p, 1);
  EXPECT_EQ(TestChange(Values{3}).k, 0);
  EXPECT_TRUE(FindChanges(Values(200, 1.0)).empty());
  EXPECT_TRUE(FindChanges(Values{1, 1, 1, 5, 5, 5}).empty());
  EXPECT_TRUE(FindChanges(Values(200, 0.0)).empty());
}

TEST(ChangePoint, SeveralAreFoundInOrder) {
  Values values;
  for (int i = 0; i < 150; ++i) values.push_back((i < 50 ? 100 : i < 100 ? 80 : 120) + i % 2);
  const auto changes = FindChanges(values);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].at, 50U);
  EXPECT_EQ(changes[1].at, 100U);
  EXPECT_NEAR(changes[1].after, 120.5, 0.6);
}

/// Windows of throughput 1000 with noise of 0.5 % that depends on its neighbour by `phi`; from
/// window 60 on, times `factor`.
Values Windows(std::mt19937_64& chance, double phi, double factor) {
  std::normal_distribution<double> noise(0, 5 * std::sqrt(1 - phi * phi));
  Values values;
  double rest = 0;
  for (std::size_t i = 0; i < kWindows; ++i) {
    rest = phi * rest + noise(chance);
    values.push_back((1000 + rest) * (i < kWindows / 2 ? 1 : factor));
  }
  return values;
}

struct Shares {
  double test = 0;     ///< Pettitt alone, p < 0.01
  double changes = 0;  ///< at least one change of 2 %
  double near = 0;     ///< … of which within 3 windows of the true place
};

Shares Simulate(double phi, double factor) {
  std::mt19937_64 chance(20260829);
  ChangeLimits limits;
  limits.effect = 0.02;
  Shares shares;
  for (int run = 0; run < kRuns; ++run) {
    const Values values = Windows(chance, phi, factor);
    shares.test += TestChange(values).p < 0.01 ? 1.0 / kRuns : 0;
    const auto changes = FindChanges(values, limits);
    if (changes.empty()) continue;
    shares.changes += 1.0 / kRuns;
    const auto off = static_cast<double>(changes.front().at) - static_cast<double>(kWindows) / 2;
    shares.near += std::abs(off) <= 3 ? 1.0 / kRuns : 0;
  }
  std::printf("phi %.1f factor %.2f  n %d  test %.3f  changes %.3f  near %.3f\n", phi, factor,
              kRuns, shares.test, shares.changes, shares.near);
  return shares;
}

double Tolerance(double share) { return 3 * std::sqrt(share * (1 - share) / kRuns); }

// What the test alone sees in clean runs, and that the size of the change rules all of it out.
TEST(ChangePointTable, CleanRunsHaveNoChange) {
  const double seen[] = {0.007, 0.19, 0.86};
  const double phis[] = {0, 0.5, 0.9};
  for (int i = 0; i < 3; ++i) {
    const Shares shares = Simulate(phis[i], 1);
    EXPECT_NEAR(shares.test, seen[i], Tolerance(seen[i])) << phis[i];
    EXPECT_EQ(shares.changes, 0) << phis[i];
  }
}

TEST(ChangePointTable, AStepOfFivePercentIsFoundWhereItIs) {
  const double found[] = {1, 0.999, 0.97};
  const double phis[] = {0, 0.5, 0.9};
  for (int i = 0; i < 3; ++i) {
    const Shares shares = Simulate(phis[i], 0.95);
    EXPECT_GE(shares.changes, found[i] - Tolerance(found[i])) << phis[i];
    EXPECT_GE(shares.near, 0.9 * shares.changes) << phis[i];
  }
}

}  // namespace
}  // namespace torchsoak::stats
