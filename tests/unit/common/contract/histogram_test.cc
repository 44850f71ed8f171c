#include "common/contract/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace torchsoak::contract {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

/// Latencies with a long tail over five decades.
std::vector<std::int64_t> Samples(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> latency(16, 1.5);
  std::vector<std::int64_t> out(n);
  for (auto& value : out) value = static_cast<std::int64_t>(latency(random));
  return out;
}

Histogram Of(const std::vector<std::int64_t>& samples) {
  Histogram histogram;
  for (const std::int64_t value : samples) histogram.Record(value);
  return histogram;
}

/// The sample of that rank in sorted order: what the histogram approximates.
std::int64_t Exact(std::vector<std::int64_t> sorted, double quantile) {
  std::sort(sorted.begin(), sorted.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

TEST(Histogram, QuantilesAreWithinATenthOfAPercent) {
  for (const std::size_t n : {1U, 2U, 10U, 1000U, 50'000U}) {
    const auto samples = Samples(n, n);
    const Histogram histogram = Of(samples);
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      const auto exact = static_cast<double>(Exact(samples, q));
      const auto value = static_cast<double>(histogram.ValueAt(q));
      EXPECT_GE(value, exact) << n << " " << q;
      EXPECT_LE(value, exact * 1.001 + 1) << n << " " << q;
    }
  }
}

TEST(Histogram, PackingKeepsTheMomentsAndOnePointSixPercent) {
  for (const std::size_t n : {1U, 2U, 10U, 1000U, 50'000U}) {
    const auto samples = Samples(n, n + 1);
    const Histogram histogram = Of(samples);
    const auto back = Histogram::Unpack(histogram.Pack());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->count(), histogram.count());
    EXPECT_EQ(back->min(), histogram.min());
    EXPECT_EQ(back->max(), histogram.max());
    EXPECT_EQ(back->Mean(), histogram.Mean());
    EXPECT_EQ(back->StdDev(), histogram.StdDev());
    for (const double q : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      const auto exact = static_cast<double>(Exact(samples, q));
      EXPECT_LE(std::fabs(static_cast<double>(back->ValueAt(q)) - exact), exact * 0.016 + 1)
          << n << " " << q;
    }
    EXPECT_EQ(Histogram::Unpack(back->Pack())->Pack(), back->Pack())
        << "packing again changes nothing";
  }
}

TEST(Histogram, PackedSizeFitsTheMessage) {
  EXPECT_LT(Of(Samples(200'000, 5)).Pack().size(), 2500U);
}

TEST(Histogram, EmptyIsZeroEverywhere) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0);
  EXPECT_EQ(histogram.ValueAt(0.5), 0);
  EXPECT_EQ(histogram.Mean(), 0);
  EXPECT_EQ(histogram.StdDev(), 0);
  EXPECT_TRUE(histogram.Buckets().empty());
  const auto back = Histogram::Unpack(histogram.Pack());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->count(), 0);
}

TEST(Histogram, EdgesOfTheRange) {
  Histogram histogram;
  for (const std::int64_t value : {std::int64_t{-5}, std::int64_t{0}, std::int64_t{1},
                                   std::int64_t{2047}, std::int64_t{2048}, kHour}) {
    histogram.Record(value);
  }
  EXPECT_EQ(histogram.clamped(), 0);
  EXPECT_EQ(histogram.min(), 0);
  EXPECT_EQ(histogram.ValueAt(1), kHour);
  histogram.Record(2 * kHour);
  histogram.Record(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.count(), 8);
  EXPECT_EQ(histogram.clamped(), 2);
  EXPECT_EQ(histogram.max(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(histogram.ValueAt(0.75), kHour) << "the last one inside the range";
  EXPECT_EQ(histogram.ValueAt(0.99), histogram.max()) << "over the range: never reported smaller";
  const auto back = Histogram::Unpack(histogram.Pack());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->clamped(), 2);
  EXPECT_EQ(back->max(), histogram.max());
}

TEST(Histogram, MergeEqualsRecordingTogether) {
  const auto a = Samples(1000, 1);
  const auto b = Samples(700, 2);
  auto all = a;
  all.insert(all.end(), b.begin(), b.end());
  Histogram merged = Of(a);
  merged.Merge(Of(b));
  merged.Merge(Histogram());
  const Histogram together = Of(all);
  EXPECT_EQ(merged.count(), together.count());
  EXPECT_EQ(merged.min(), together.min());
  EXPECT_EQ(merged.max(), together.max());
  EXPECT_EQ(merged.Buckets(), together.Buckets());
  EXPECT_NEAR(merged.Mean(), together.Mean(), together.Mean() * 1e-12);
  Histogram empty;
  empty.Merge(together);
  EXPECT_EQ(empty.min(), together.min());
}

TEST(Histogram, StdDevOfKnownNumbers) {
  const Histogram histogram = Of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(histogram.Mean(), 5);
  EXPECT_DOUBLE_EQ(histogram.StdDev(), 2);
}

TEST(Histogram, RankIsNotThrownOffByRounding) {
  Histogram histogram;
  for (std::int64_t i = 1; i <= 100; ++i) histogram.Record(i);
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(histogram.ValueAt(percent / 100.0), percent);
  }
}

TEST(Histogram, DamagedTextIsRefused) {
  const std::string good = Of(Samples(100, 9)).Pack();
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(Histogram::Unpack(good.substr(0, n)));
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] = "ABCDEFGHabcdefgh01234567+/"[random() % 26];
    const auto back = Histogram::Unpack(bad);
    // zlib's first bytes have several good forms; what they lead to is under its checksum.
    if (!back) continue;
    EXPECT_EQ(back->Pack(), good);
  }
  EXPECT_FALSE(Histogram::Unpack(std::string(20'000, 'A')));
}

TEST(SamplesNeeded, IsTheSmallestNumberThatProves) {
  EXPECT_EQ(SamplesNeeded(0.99), 459);
  EXPECT_EQ(SamplesNeeded(0.999), 4603);
  EXPECT_EQ(SamplesNeeded(0.9), 44);
  EXPECT_EQ(SamplesNeeded(0.95), 90);
  EXPECT_EQ(SamplesNeeded(0.5), 7);
  EXPECT_EQ(SamplesNeeded(0), 1);
  EXPECT_EQ(SamplesNeeded(1), std::numeric_limits<std::int64_t>::max());
  for (const double q : {0.9, 0.95, 0.99, 0.999, 0.9999}) {
    const auto n = static_cast<double>(SamplesNeeded(q));
    EXPECT_LE(std::pow(q, n), 0.01);
    EXPECT_GT(std::pow(q, n - 1), 0.01);
  }
}

}  // namespace
}  // namespace torchsoak::contract
