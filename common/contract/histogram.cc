#include "common/contract/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/contract/histogram_layout.h"

namespace torchsoak::contract {
namespace {

using Fine = BucketLayout<11>;  // three significant digits

const std::size_t kCounters = Fine::IndexOf(kMaxLatency) + 1;

/// ceil(quantile × count), proof against 0.07 × 100 = 7.000000000000001.
std::int64_t RankOf(double quantile, std::int64_t count) {
  const double exact = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count);
  const double nearest = std::round(exact);
  const bool whole = std::fabs(exact - nearest) <= 1e-9 * std::max(1.0, exact);
  const auto rank = static_cast<std::int64_t>(whole ? nearest : std::ceil(exact));
  return std::clamp<std::int64_t>(rank, 1, count);
}

}  // namespace

Histogram::Histogram() : counts_(kCounters) {}

void Histogram::Record(std::int64_t nanoseconds) {
  const std::int64_t value = std::max<std::int64_t>(nanoseconds, 0);
  if (value > kMaxLatency) ++clamped_;
  ++counts_[Fine::IndexOf(std::min(value, kMaxLatency))];
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  ++count_;
  const auto real = static_cast<double>(value);
  sum_ += real;
  sum_of_squares_ += real * real;
}

void Histogram::Merge(const Histogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  clamped_ += other.clamped_;
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
}

double Histogram::Mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

double Histogram::StdDev() const {
  if (count_ == 0) return 0;
  const double mean = Mean();
  const double variance = sum_of_squares_ / static_cast<double>(count_) - mean * mean;
  return variance > 0 ? std::sqrt(variance) : 0;  // rounding can leave a hair below zero
}

std::int64_t Histogram::ValueAt(double quantile) const {
  if (count_ == 0) return 0;
  const std::int64_t rank = RankOf(quantile, count_);
  if (rank > count_ - clamped_) return max_;  // over the range: the true value is not known
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min({Fine::HighestOf(i), max_, kMaxLatency});
  }
  return max_;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Histogram::Buckets() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> used;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] != 0) used.emplace_back(Fine::HighestOf(i), counts_[i]);
  }
  return used;
}

std::int64_t SamplesNeeded(double quantile) {
  if (!(quantile > 0) || quantile >= 1)
    return quantile >= 1 ? std::numeric_limits<std::int64_t>::max() : 1;
  return static_cast<std::int64_t>(std::ceil(std::log(0.01) / std::log(quantile)));
}

}  // namespace torchsoak::contract
