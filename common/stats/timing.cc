#include "common/stats/timing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace torchsoak::stats {
namespace {

constexpr double kNormal90 = 1.645;
constexpr double kClock = 25e-9;
constexpr double kMostFigures = 4;

/// Standard deviation, with n - `unseen` below the sum.
double Deviation(std::span<const double> values, double unseen) {
  const auto n = static_cast<double>(values.size());
  if (n - unseen < 1) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / (n - unseen));
}

}  // namespace

double QuantileOfSorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Timing TimingOf(std::span<const double> sorted) {
  Timing timing;
  timing.median = QuantileOfSorted(sorted, 0.5);
  timing.p25 = QuantileOfSorted(sorted, 0.25);
  timing.p75 = QuantileOfSorted(sorted, 0.75);
  timing.iqr = timing.p75 - timing.p25;
  timing.std_dev = Deviation(sorted, 1);
  return timing;
}

int SignificantFigures(std::span<const double> sorted_seconds) {
  const std::size_t n = sorted_seconds.size();
  if (n == 0) return 1;
  const std::size_t from = n / 4;
  const auto middle = sorted_seconds.subspan(from, (3 * n + 3) / 4 - from);
  const double error = Deviation(middle, 0) / std::sqrt(static_cast<double>(middle.size()));
  const double interval = std::max(kNormal90 * error, kClock);
  const double figures = std::floor(std::log10(QuantileOfSorted(sorted_seconds, 0.5) / interval));
  return static_cast<int>(std::clamp(figures, 1.0, kMostFigures));
}

}  // namespace torchsoak::stats
