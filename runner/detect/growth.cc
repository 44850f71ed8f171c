#include "runner/detect/growth.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/stats/trend.h"

namespace torchsoak::runner {
namespace {

using contract::LeakResult;

constexpr int kMostWindows = 24;
constexpr int kLeastWindows = 12;
constexpr std::int64_t kSamplesInWindow = 20;
constexpr double kLeastSteps = 4;
constexpr double kSecondsInHour = 3600;

/// The least value of each window of equal time. A window in which nothing was sampled (the process
/// stood still) repeats the one before it.
std::vector<double> Floors(std::span<const Series::Point> curve, int windows) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> floors(static_cast<std::size_t>(windows), kNone);
  const double begin = curve.front().x;
  const double width = (curve.back().x - begin) / windows;
  for (const Series::Point& point : curve) {
    const auto at = static_cast<std::size_t>(
        std::clamp((point.x - begin) / width, 0.0, static_cast<double>(windows - 1)));
    floors[at] = std::min(floors[at], point.min);
  }
  for (std::size_t i = 1; i < floors.size(); ++i) {
    if (floors[i] == kNone) floors[i] = floors[i - 1];
  }
  return floors;
}

/// Judged by the upper end of the later half's interval: noise must not hide a leak.
bool ComesToRest(std::span<const double> floors, double slope) {
  const auto later = floors.subspan(floors.size() / 2);
  return stats::TheilSen(later, stats::TestRise(later).variance).high < slope / 2;
}

}  // namespace

double WarmupOf(double seconds) { return std::max(60.0, 0.15 * seconds); }

Growth FindGrowth(std::span<const Series::Point> curve, const GrowthLimits& limits) {
  const auto warm = std::ranges::find_if(
      curve, [&](const Series::Point& point) { return point.x >= limits.from; });
  curve = curve.subspan(static_cast<std::size_t>(warm - curve.begin()));
  std::int64_t samples = 0;
  for (const Series::Point& point : curve) samples += point.count;
  Growth growth;
  growth.windows = static_cast<int>(std::min<std::int64_t>(
      {kMostWindows, samples / kSamplesInWindow, static_cast<std::int64_t>(curve.size()) / 2}));
  if (growth.windows < kLeastWindows || curve.back().x <= curve.front().x) return growth;
  growth.from = curve.front().x;
  const std::vector<double> floors = Floors(curve, growth.windows);
  const double windows_in_hour =
      kSecondsInHour * growth.windows / (curve.back().x - curve.front().x);
  const stats::RiseTest rise = stats::TestRise(floors);
  const stats::SlopeInterval slope = stats::TheilSen(floors, rise.variance);
  growth.per_hour = slope.slope * windows_in_hour;
  growth.low = slope.low * windows_in_hour;
  growth.high = slope.high * windows_in_hour;
  growth.p = rise.p;
  growth.steps = stats::GrowthSteps(floors);
  growth.rests = ComesToRest(floors, slope.slope);
  const bool rises = growth.p < limits.chance && growth.low > 0 &&
                     growth.per_hour > limits.least_per_hour &&
                     slope.slope * growth.windows >= limits.least_in_all;
  const bool goes_on = growth.steps >= kLeastSteps && !growth.rests;
  growth.result = !rises    ? LeakResult::kNone
                  : goes_on ? LeakResult::kFound
                            : LeakResult::kSuspected;
  return growth;
}

}  // namespace torchsoak::runner
