#include "common/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace torchsoak::stats {
namespace {

constexpr double kNormal975 = 1.959963984540054;  // quantile of the standard normal distribution

double MedianInPlace(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

std::vector<double> PairSlopes(std::span<const double> values) {
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  return slopes;
}

/// Ranks from 1; equal values share the mean of theirs.
std::vector<double> Ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    const double shared = static_cast<double>(first + last) / 2 + 1;
    for (; first <= last; ++first) ranks[order[first]] = shared;
  }
  return ranks;
}

/// Without dependence and with groups of equal values.
double PlainVariance(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  double sum = n * (n - 1) * (2 * n + 5);
  std::map<double, double> groups;
  for (const double value : values) ++groups[value];
  for (const auto& [value, t] : groups) sum -= t * (t - 1) * (2 * t + 5);
  return sum / 18;
}

/// Autocorrelation of the ranks of what is left when the trend is taken away; lags beyond chance.
double Correction(std::span<const double> values) {
  const std::size_t count = values.size();
  const auto n = static_cast<double>(count);
  if (count < 4) return 1;
  const double slope = TheilSenSlope(values);
  std::vector<double> rest(values.begin(), values.end());
  for (std::size_t i = 0; i < count; ++i) rest[i] -= slope * static_cast<double>(i);
  std::vector<double> ranks = Ranks(rest);
  const double mean = (n + 1) / 2;
  double power = 0;
  for (double& rank : ranks) {
    rank -= mean;
    power += rank * rank;
  }
  if (power == 0) return 1;
  double sum = 0;
  for (std::size_t lag = 1; lag + 1 < count; ++lag) {
    double product = 0;
    for (std::size_t i = 0; i + lag < count; ++i) product += ranks[i] * ranks[i + lag];
    const double rho = product / power;
    if (std::abs(rho) <= kNormal975 / std::sqrt(n)) continue;
    const double left = n - static_cast<double>(lag);
    sum += left * (left - 1) * (left - 2) * rho;
  }
  return std::max(1.0, 1 + 2 / (n * (n - 1) * (n - 2)) * sum);
}

}  // namespace

double Median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return MedianInPlace(copy);
}

double TheilSenSlope(std::span<const double> values) {
  std::vector<double> slopes = PairSlopes(values);
  return MedianInPlace(slopes);
}

RiseTest TestRise(std::span<const double> values) {
  RiseTest test;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      test.s += static_cast<double>((values[j] > values[i]) - (values[j] < values[i]));
    }
  }
  test.correction = Correction(values);
  test.variance = test.correction * PlainVariance(values);
  if (test.variance <= 0) return test;
  const double towards_zero = test.s > 0 ? -1 : test.s < 0 ? 1 : 0;  // continuity
  test.z = (test.s + towards_zero) / std::sqrt(test.variance);
  test.p = std::erfc(test.z / std::sqrt(2.0)) / 2;
  return test;
}

SlopeInterval TheilSen(std::span<const double> values, double variance) {
  std::vector<double> slopes = PairSlopes(values);
  if (slopes.empty()) return {};
  std::ranges::sort(slopes);
  const auto count = static_cast<double>(slopes.size());
  const double reach = kNormal975 * std::sqrt(std::max(0.0, variance));
  const auto at = [&](double rank) {
    return slopes[static_cast<std::size_t>(std::clamp(rank, 0.0, count - 1))];
  };
  SlopeInterval interval;
  interval.low = at(std::floor((count - reach) / 2) - 1);
  interval.high = at(std::ceil((count + reach) / 2));
  interval.slope = MedianInPlace(slopes);
  return interval;
}

double GrowthSteps(std::span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  double squares = 0;
  double least = values.back();
  for (std::size_t i = values.size(); i-- > 0;) {
    const double next = std::min(least, values[i]);
    sum += least - next;
    squares += (least - next) * (least - next);
    least = next;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace torchsoak::stats
