#include "runner/detect/drift.h"

#include <algorithm>

#include "common/stats/change_point.h"
#include "common/stats/trend.h"

namespace torchsoak::runner {
namespace {

constexpr double kLeastSeconds = 5;
constexpr double kMostWindows = 120;
constexpr std::size_t kLeastWindows = 20;
constexpr double kWarmup = 0.1;
constexpr double kSecondsInHour = 3600;

/// Stretches joined until each is `width` long; a rest that is shorter is left out.
std::vector<Work> Join(std::span<const Work> work, double width) {
  std::vector<Work> windows;
  bool open = false;
  for (const Work& one : work) {
    if (!open) windows.push_back({one.start, one.start, 0});
    open = true;
    windows.back().end = one.end;
    windows.back().amount += one.amount;
    if (one.end - windows.back().start >= width) open = false;
  }
  if (open) windows.pop_back();
  return windows;
}

std::vector<double> Rates(std::span<const Work> windows) {
  std::vector<double> rates;
  for (const Work& one : windows) {
    rates.push_back(one.end > one.start ? one.amount / (one.end - one.start) : 0);
  }
  return rates;
}

/// Slope of the rates per hour as a share of their median, with its interval and its chance.
void AddSlope(std::span<const double> rates, double windows_in_hour, double median, Drift& drift) {
  std::vector<double> falling(rates.begin(), rates.end());
  for (double& rate : falling) rate = -rate;
  const stats::RiseTest fall = stats::TestRise(falling);
  const stats::SlopeInterval slope = stats::TheilSen(falling, fall.variance);
  const double scale = -windows_in_hour / median;
  drift.per_hour = slope.slope * scale;
  drift.low = slope.high * scale;
  drift.high = slope.low * scale;
  drift.p = fall.p;
}

}  // namespace

Drift FindDrift(std::span<const Work> work, const DriftLimits& limits) {
  Drift drift;
  if (work.empty()) return drift;
  const double length = work.back().end - work.front().start;
  const double from = work.front().start + kWarmup * length;
  const auto warm = std::ranges::find_if(work, [&](const Work& one) { return one.start >= from; });
  const auto windows = Join(work.subspan(static_cast<std::size_t>(warm - work.begin())),
                            std::max(kLeastSeconds, (1 - kWarmup) * length / kMostWindows));
  drift.windows = static_cast<int>(windows.size());
  const std::vector<double> rates = Rates(windows);
  const double median = stats::Median(rates);
  if (windows.size() < kLeastWindows || median <= 0) return drift;
  const double hours = (windows.back().end - windows.front().start) / kSecondsInHour;
  AddSlope(rates, static_cast<double>(windows.size()) / hours, median, drift);
  stats::ChangeLimits changes;
  changes.effect = limits.effect;
  for (const stats::Change& change : stats::FindChanges(rates, changes)) {
    drift.steps.push_back({windows[change.at].start, change.before, change.after});
  }
  double best = 0;
  for (const Drift::Step& step : drift.steps) {
    best = std::max(best, step.before);
    drift.lost = std::max(drift.lost, 1 - step.after / best);
  }
  if (drift.steps.empty() && drift.p < limits.chance && drift.high < 0) {
    drift.lost = -drift.per_hour * hours;
  }
  drift.result = drift.lost >= limits.effect ? Drift::Result::kSlower : Drift::Result::kSteady;
  return drift;
}

}  // namespace torchsoak::runner
