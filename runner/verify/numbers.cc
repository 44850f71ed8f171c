#include "runner/verify/numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/base/units.h"
#include "runner/measure/measurements.h"
#include "runner/verify/evidence.h"

namespace torchsoak::runner {
namespace {

using contract::MetricValue;
using contract::Statistic;

constexpr double kNanosecond = 1e-9;

std::optional<double> FromDistribution(const Distribution& distribution, Statistic statistic) {
  if (distribution.count == 0) return std::nullopt;
  if (const auto quantile = QuantileOf(statistic)) {
    return static_cast<double>(distribution.ValueAt(*quantile)) * kNanosecond;
  }
  if (statistic == Statistic::kMin) return static_cast<double>(distribution.min) * kNanosecond;
  if (statistic == Statistic::kMax) return static_cast<double>(distribution.max) * kNanosecond;
  return std::nullopt;  // mean and deviation are exact sums, which the buckets are not
}

std::optional<double> FromCurve(const std::vector<Series::Point>& curve, Statistic statistic) {
  if (curve.empty()) return std::nullopt;
  if (statistic == Statistic::kMin) {
    return std::ranges::min_element(curve, {}, &Series::Point::min)->min;
  }
  if (statistic == Statistic::kMax) {
    return std::ranges::max_element(curve, {}, &Series::Point::max)->max;
  }
  if (statistic == Statistic::kLast && curve.back().count == 1) return curve.back().median;
  return std::nullopt;
}

std::optional<double> Ratio(const Json& report, std::string_view part, std::string_view whole) {
  const auto above = NumberAt(report, {"measured", part});
  const auto below = NumberAt(report, {"measured", whole});
  if (!above || !below || *below <= 0) return std::nullopt;
  return *above / *below;
}

std::optional<double> MeanRate(const Json& report, contract::Mode mode) {
  const auto work = NumberAt(report, {"measured", contract::WorkNoun(mode)});
  const auto seconds = NumberAt(report, {"measured", "seconds"});
  const double aside = NumberAt(report, {"measured", "asideSeconds"}).value_or(0);
  if (!work || !seconds || *seconds - aside <= 0) return std::nullopt;
  return *work / (*seconds - aside);
}

std::optional<double> Recompute(const Json& report, contract::Mode mode,
                                const MetricValue& metric) {
  if (metric.name == contract::InfoOf(mode).step_time) {
    const auto distribution = DistributionOf(report, metric.name);
    return distribution ? FromDistribution(*distribution, metric.statistic) : std::nullopt;
  }
  if (metric.name == contract::InfoOf(mode).rate) {  // its curve is of windows
    return metric.statistic == Statistic::kMean ? MeanRate(report, mode) : std::nullopt;
  }
  if (metric.name.ends_with(".errorRate")) return Ratio(report, "errors", "steps");
  const auto curve = CurveOf(report, metric.name);
  return curve ? FromCurve(*curve, metric.statistic) : std::nullopt;
}

std::string Text(const MetricValue& metric, double value) {
  const contract::MetricInfo* info = contract::FindMetric(metric.name);
  return FormatValue(value, info != nullptr ? info->unit : Unit::kNone, 9);
}

}  // namespace

int CheckNumbers(const Json& report, contract::Mode mode, std::vector<std::string>& problems) {
  constexpr double kRounding = 1e-6;
  int checked = 0;
  for (const MetricValue& metric : MetricsOf(report)) {
    if (!metric.value) continue;
    const auto expected = Recompute(report, mode, metric);
    if (!expected) continue;
    ++checked;
    const double most = std::max(std::abs(*expected), std::abs(*metric.value));
    if (std::abs(*expected - *metric.value) <= kRounding * most) continue;
    problems.push_back(metric.name + " " + std::string(contract::ToString(metric.statistic)) +
                       " is given as " + Text(metric, *metric.value) + ", but the evidence gives " +
                       Text(metric, *expected));
  }
  return checked;
}

}  // namespace torchsoak::runner
