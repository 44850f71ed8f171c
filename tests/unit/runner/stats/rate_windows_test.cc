#include "runner/stats/rate_windows.h"

#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateWindows, KnowsNothingBeforeTheFirstStep) {
  const RateWindows windows;
  EXPECT_FALSE(windows.Mean());
  EXPECT_FALSE(windows.Min());
  EXPECT_FALSE(windows.Quantile(0.5));
}

TEST(RateWindows, AStepOfNoTimeGivesNoRate) {
  RateWindows windows;
  windows.Add(10, milliseconds(0));
  EXPECT_FALSE(windows.Mean());
  EXPECT_FALSE(windows.Min());
}

TEST(RateWindows, ARunShorterThanAWindowStillHasARate) {
  RateWindows windows;
  windows.Add(50, milliseconds(500));
  EXPECT_DOUBLE_EQ(*windows.Mean(), 100);
  EXPECT_DOUBLE_EQ(*windows.Min(), 100);
  EXPECT_DOUBLE_EQ(*windows.Quantile(0.5), 100);
}

TEST(RateWindows, FindsTheSlowSecond) {
  RateWindows windows;
  for (int i = 1; i <= 100; ++i) windows.Add(10, milliseconds(100 * i));  // 10 s at 100/s
  windows.Add(10, milliseconds(12'000));                                  // one step of 2 s
  for (int i = 1; i <= 50; ++i) windows.Add(10, milliseconds(12'000 + 100 * i));
  EXPECT_DOUBLE_EQ(*windows.Min(), 5);
  EXPECT_DOUBLE_EQ(*windows.Quantile(0.5), 100);
  EXPECT_EQ(windows.Windows().size(), 16U);
}

TEST(RateWindows, WhatGoesAsideIsNotInTheRate) {
  RateWindows windows;
  for (int i = 1; i <= 40; ++i) windows.Add(100, milliseconds(500 * i), milliseconds(250));
  EXPECT_DOUBLE_EQ(*windows.Mean(), 400);
  EXPECT_DOUBLE_EQ(*windows.Min(), 400);
  EXPECT_DOUBLE_EQ(*windows.Quantile(0.1), 400);
  EXPECT_EQ(windows.aside(), seconds(10));
}

TEST(RateWindows, LowQuantileIsWhatIsSustained) {
  RateWindows windows;
  for (int i = 1; i <= 100; ++i) windows.Add(i <= 5 ? 1 : i <= 15 ? 50 : 100, seconds(i));
  EXPECT_DOUBLE_EQ(*windows.Quantile(0), 1);
  EXPECT_DOUBLE_EQ(*windows.Quantile(0.1), 50);
  EXPECT_DOUBLE_EQ(*windows.Quantile(0.5), 100);
  EXPECT_DOUBLE_EQ(*windows.Quantile(1), 100);
}

TEST(RateWindows, StaysBoundedAndKeepsTheSlowestSecond) {
  RateWindows windows;
  for (int i = 1; i <= 5000; ++i) windows.Add(i == 700 ? 1 : 8, seconds(i));
  EXPECT_LE(windows.Windows().size(), 512U);
  EXPECT_DOUBLE_EQ(*windows.Min(), 1);
  EXPECT_EQ(windows.work(), 4999 * 8 + 1);
  double sum = 0;
  for (const auto& window : windows.Windows()) sum += window.work;
  EXPECT_LE(sum, windows.work());
  EXPECT_GT(sum, windows.work() - 8 * 16);  // only what fills the latest window is missing
}

}  // namespace
}  // namespace torchsoak::runner
