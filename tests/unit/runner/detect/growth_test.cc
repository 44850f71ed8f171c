// The statistical leak test on simulated hours, with the figures that its header claims.

#include "runner/detect/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <random>

namespace torchsoak::runner {
namespace {

using contract::LeakResult;

constexpr double kMb = 1e6;
constexpr int kRuns = 500;

struct Shares {
  double found = 0;
  double suspected = 0;
  double none = 0;
};

/// An hour at 1 Hz with jitter of an allocator whose use climbs to 900 MB and falls back every 17
/// to 27 s, plus what `extra` adds at a time (seconds), through the series and test of a real run.
template <typename Extra>
Growth Hour(std::mt19937_64& chance, Extra extra) {
  std::uniform_real_distribution<double> jitter(-0.5, 0.5);
  std::uniform_real_distribution<double> period(17, 27);
  Series series(512);
  double began = 0;
  double length = period(chance);
  for (int second = 1; second < 3600; ++second) {
    const double at = second + jitter(chance);
    while (at >= began + length) {
      began += length;
      length = period(chance);
    }
    series.Add(at, 2000 * kMb + 900 * kMb * (at - began) / length + extra(at));
  }
  return FindGrowth(series.Points(), {4.194304 * kMb, 0, WarmupOf(3600)});
}

template <typename MakeExtra>
Shares Simulate(const char* name, MakeExtra make_extra) {
  std::mt19937_64 chance(20260828);
  Shares shares;
  for (int run = 0; run < kRuns; ++run) {
    const Growth growth = Hour(chance, make_extra(chance));
    EXPECT_EQ(growth.windows, 24);
    shares.found += growth.result == LeakResult::kFound ? 1.0 / kRuns : 0;
    shares.suspected += growth.result == LeakResult::kSuspected ? 1.0 / kRuns : 0;
    shares.none += growth.result == LeakResult::kNone ? 1.0 / kRuns : 0;
  }
  std::printf("%-28s n %d  leak %.3f  suspected %.3f  none %.3f\n", name, kRuns, shares.found,
              shares.suspected, shares.none);
  return shares;
}

/// How far a share of kRuns may be from the true one by chance.
double Tolerance(double share) { return 3 * std::sqrt(share * (1 - share) / kRuns); }

auto Rate(double mb_per_hour) {
  return [=](std::mt19937_64& /*chance*/) {
    return [=](double at) { return mb_per_hour * kMb * at / 3600; };
  };
}

auto Same(std::function<double(double)> extra) {
  return [=](std::mt19937_64& /*chance*/) { return extra; };
}

TEST(GrowthTable, CleanRunsAreClean) { EXPECT_LE(Simulate("clean", Rate(0)).found, 0.02); }

TEST(GrowthTable, WarmUpStepsAreNeverALeak) {
  const auto shares = Simulate("warm-up steps", Same([](double at) {
                                 return (at > 180 ? 64 * kMb : 0) + (at > 288 ? 64 * kMb : 0);
                               }));
  EXPECT_EQ(shares.found, 0);
  const auto slow = Simulate("slow warm-up",
                             Same([](double at) { return 200 * kMb * (1 - std::exp(-at / 216)); }));
  EXPECT_LE(slow.found, 0.018 + Tolerance(0.018));
}

TEST(GrowthTable, CachesThatFillAreRarelyALeak) {
  const auto shares = Simulate("two steps of 64 MB", [](std::mt19937_64& chance) {
    std::uniform_real_distribution<double> when(0, 3600);
    return [first = when(chance), second = when(chance)](double at) {
      return (at > first ? 64 * kMb : 0) + (at > second ? 64 * kMb : 0);
    };
  });
  EXPECT_LE(shares.found, 0.016 + Tolerance(0.016));  // 0.136 without the look for rest
}

TEST(GrowthTable, LeaksAreFound) {
  EXPECT_GE(Simulate("leak 32 MB/h", Rate(32)).found, 0.95);
  EXPECT_GE(Simulate("leak 64 MB/h", Rate(64)).found, 1 - Tolerance(0.999));
  const auto lumps = Simulate("256 MB/h in lumps of 16 MB",
                              Same([](double at) { return 16 * kMb * std::floor(at / 225); }));
  EXPECT_GE(lumps.found, 1 - Tolerance(0.999));
}

TEST(GrowthTable, DriftThatComesBackIsRarelyALeak) {
  const auto shares = Simulate("AR(1) 0.995", [](std::mt19937_64& chance) {
    return [&chance, noise = std::normal_distribution<double>(0, 1 * kMb),
            level = 0.0](double /*at*/) mutable {
      level = 0.995 * level + noise(chance);
      return level;
    };
  });
  EXPECT_LE(shares.found, 0.023 + Tolerance(0.023));
}

Series Ramp(int samples, double per_second) {
  Series series(512);
  for (int i = 0; i < samples; ++i) series.Add(i, 1000 + per_second * i);
  return series;
}

TEST(Growth, SlopeIsPerHour) {
  const Growth growth = FindGrowth(Ramp(3600, 2).Points(), {100, 0, 0});
  EXPECT_EQ(growth.result, LeakResult::kFound);
  EXPECT_NEAR(growth.per_hour, 7200, 0.001 * 7200);
  EXPECT_LE(growth.low, growth.per_hour);
  EXPECT_GE(growth.high, growth.per_hour);
  EXPECT_NEAR(growth.steps, 23, 0.5);
}

TEST(Growth, SlowerThanTheLimitIsNone) {
  EXPECT_EQ(FindGrowth(Ramp(3600, 2).Points(), {7300, 0, 0}).result, LeakResult::kNone);
}

TEST(Growth, AFewStepsAreNoLeak) {
  Series series(512);
  for (int i = 0; i < 3600; ++i) {
    series.Add(i, 1000 + (i > 900 ? 500 : 0) + (i > 1900 ? 500 : 0) + (i > 2600 ? 500 : 0));
  }
  const Growth growth = FindGrowth(series.Points(), {100, 0, 0});
  EXPECT_NE(growth.result, LeakResult::kFound);
  EXPECT_DOUBLE_EQ(growth.steps, 3);
}

// As a heap does that settles: seen in a half-hour soak of our own runner.
TEST(Growth, WhatCameToRestIsSuspectedOnly) {
  Series series(512);
  for (int i = 0; i < 1800; ++i) series.Add(i, 1000 + 10 * (std::min(i, 900) / 60));
  const Growth growth = FindGrowth(series.Points(), {100, 0, 0});
  EXPECT_TRUE(growth.rests);
  EXPECT_EQ(growth.result, LeakResult::kSuspected);
}

TEST(Growth, LessInAllThanTheLimitIsNone) {
  EXPECT_EQ(FindGrowth(Ramp(1800, 2).Points(), {100, 3300, 0}).result, LeakResult::kFound);
  EXPECT_EQ(FindGrowth(Ramp(1800, 2).Points(), {100, 3700, 0}).result, LeakResult::kNone);
}

TEST(Growth, NeedsTwelveWindowsOfTwentySamples) {
  EXPECT_EQ(FindGrowth(Ramp(239, 2).Points(), {1, 0, 0}).result, LeakResult::kNotEnoughData);
  EXPECT_EQ(FindGrowth(Ramp(240, 2).Points(), {1, 0, 0}).result, LeakResult::kFound);
  EXPECT_EQ(FindGrowth(Ramp(299, 2).Points(), {1, 0, 60}).result, LeakResult::kNotEnoughData);
  EXPECT_EQ(FindGrowth({}, {1, 0, 60}).result, LeakResult::kNotEnoughData);
  Series still(512);
  for (int i = 0; i < 500; ++i) still.Add(5, i);
  EXPECT_EQ(FindGrowth(still.Points(), {1, 0, 0}).result, LeakResult::kNotEnoughData);
}

TEST(Growth, AGapInTheSamplesIsNoStep) {
  Series series(512);
  for (int i = 0; i < 500; ++i) series.Add(i, 1000);
  for (int i = 0; i < 500; ++i) series.Add(3000 + i, 1000);
  EXPECT_EQ(FindGrowth(series.Points(), {1, 0, 0}).result, LeakResult::kNone);
}

}  // namespace
}  // namespace torchsoak::runner
