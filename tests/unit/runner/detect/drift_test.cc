#include "runner/detect/drift.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>

namespace torchsoak::runner {
namespace {

using Result = Drift::Result;

constexpr int kRuns = 300;

/// Ten minutes in stretches of a second at about 1000/s, times what `level` says of a second.
template <typename Level>
std::vector<Work> TenMinutes(std::mt19937_64& chance, Level level) {
  std::normal_distribution<double> noise(0, 20);
  std::vector<Work> work;
  for (int second = 0; second < 600; ++second) {
    work.push_back({double(second), double(second + 1), (1000 + noise(chance)) * level(second)});
  }
  return work;
}

template <typename Level>
double ShareSlower(const char* name, Level level) {
  std::mt19937_64 chance(20260830);
  double slower = 0;
  for (int run = 0; run < kRuns; ++run) {
    slower += FindDrift(TenMinutes(chance, level)).result == Result::kSlower ? 1.0 / kRuns : 0;
  }
  std::printf("%-24s n %d  slower %.3f\n", name, kRuns, slower);
  return slower;
}

TEST(Drift, SteadyWorkIsSteadyAndLossesAreFound) {
  EXPECT_LE(ShareSlower("steady", [](int) { return 1.0; }), 0.01);
  EXPECT_LE(ShareSlower("slow warm-up", [](int s) { return s < 50 ? 0.6 : 1.0; }), 0.01);
  EXPECT_LE(ShareSlower("faster at the end", [](int s) { return s < 300 ? 1.0 : 1.2; }), 0.01);
  EXPECT_GE(ShareSlower("5 % less from half", [](int s) { return s < 300 ? 1.0 : 0.95; }), 0.99);
  EXPECT_GE(ShareSlower("8 % less, little by little", [](int s) { return 1 - 0.08 * s / 600; }),
            0.99);
}

TEST(Drift, AStepIsPlacedAndMeasured) {
  std::mt19937_64 chance(1);
  const Drift drift = FindDrift(TenMinutes(chance, [](int s) { return s < 300 ? 1.0 : 0.7; }));
  ASSERT_EQ(drift.result, Result::kSlower);
  ASSERT_EQ(drift.steps.size(), 1U);
  EXPECT_NEAR(drift.steps[0].at, 300, 10);
  EXPECT_NEAR(drift.steps[0].before, 1000, 10);
  EXPECT_NEAR(drift.steps[0].after, 700, 10);
  EXPECT_NEAR(drift.lost, 0.3, 0.01);
}

// Throttling that ends before the run does is still worth a word.
TEST(Drift, ADipThatPassesCounts) {
  std::mt19937_64 chance(1);
  const Drift drift =
      FindDrift(TenMinutes(chance, [](int s) { return s > 200 && s < 400 ? 0.8 : 1.0; }));
  EXPECT_EQ(drift.result, Result::kSlower);
  EXPECT_EQ(drift.steps.size(), 2U);
  EXPECT_NEAR(drift.lost, 0.2, 0.01);
}

TEST(Drift, TheSlopeHasAnIntervalAroundTheTruth) {
  std::mt19937_64 chance(1);
  const Drift drift = FindDrift(TenMinutes(chance, [](int s) { return 1 - 0.02 * s / 600; }));
  EXPECT_LT(drift.low, -0.12);  // 2 % in ten minutes are 12 % an hour
  EXPECT_GT(drift.high, -0.12);
  EXPECT_EQ(drift.result, Result::kSteady) << "2 % is below the effect that counts";
}

TEST(Drift, ShortOrIdleRunsAreNotEnough) {
  std::mt19937_64 chance(1);
  auto work = TenMinutes(chance, [](int) { return 1.0; });
  work.resize(105);
  EXPECT_EQ(FindDrift(work).result, Result::kNotEnoughData);
  EXPECT_EQ(FindDrift({}).result, Result::kNotEnoughData);
  EXPECT_EQ(FindDrift(TenMinutes(chance, [](int) { return 0.0; })).result, Result::kNotEnoughData);
}

}  // namespace
}  // namespace torchsoak::runner
