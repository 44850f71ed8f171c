#include "runner/verify/evidence.h"

#include <algorithm>
#include <cmath>

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::MetricValue;

std::optional<std::vector<double>> Numbers(const Json* list) {
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<double> numbers;
  for (const Json& item : *list) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return std::nullopt;
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

const Json* Curve(const Json& report, std::string_view metric) {
  return Find(report, {"series", metric});
}

}  // namespace

const Json& ListOf(const Json& report, std::string_view key) {
  static const Json none = Json::array();
  const Json* list = Find(report, {key});
  return list != nullptr && list->is_array() ? *list : none;
}

std::optional<double> NumberAt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* found = Find(json, path);
  if (found == nullptr || !found->is_number() || !std::isfinite(found->get<double>())) {
    return std::nullopt;
  }
  return found->get<double>();
}

std::vector<MetricValue> MetricsOf(const Json& report) {
  std::vector<MetricValue> metrics;
  for (const Json& item : ListOf(report, "metrics")) {
    const auto statistic = contract::ParseStatistic(GetString(item, {"statistic"}));
    if (!statistic) continue;
    metrics.push_back({GetString(item, {"name"}), *statistic, NumberAt(item, {"value"}),
                       GetInt(item, {"samples"}).value_or(0)});
  }
  return metrics;
}

std::vector<Gate> GatesOf(const Json& report) {
  std::vector<Gate> gates;
  for (const Json& item : ListOf(report, "gates")) {
    const auto result = contract::ParseGateResult(GetString(item, {"result"}));
    gates.push_back({GetString(item, {"name"}),
                     result.value_or(contract::GateResult::kNotEvaluated), GetBool(item, {"user"}),
                     GetString(item, {"observed"}), GetString(item, {"limit"}),
                     GetString(item, {"message"})});
  }
  return gates;
}

std::optional<std::vector<Series::Point>> CurveOf(const Json& report, std::string_view metric) {
  const Json* curve = Curve(report, metric);
  if (curve == nullptr) return std::nullopt;
  const bool single = Find(*curve, {"value"}) != nullptr;
  const auto x = Numbers(Find(*curve, {"x"}));
  const auto min = Numbers(Find(*curve, {single ? "value" : "min"}));
  const auto median = Numbers(Find(*curve, {single ? "value" : "median"}));
  const auto max = Numbers(Find(*curve, {single ? "value" : "max"}));
  const std::int64_t samples = GetInt(*curve, {"samples"}).value_or(0);
  const std::int64_t each = GetInt(*curve, {"perPoint"}).value_or(1);
  if (!x || !min || !median || !max || x->size() != min->size() || x->size() != median->size() ||
      x->size() != max->size()) {
    return std::nullopt;
  }
  const auto points = static_cast<std::int64_t>(x->size());
  if (each < 1 || each > samples + 1 || (points - 1) * each > samples || points * each < samples) {
    return std::nullopt;
  }
  std::vector<Series::Point> curve_points;
  for (std::size_t i = 0; i < x->size(); ++i) {
    const std::int64_t left = samples - static_cast<std::int64_t>(i) * each;
    curve_points.push_back({(*x)[i], std::min(each, left), (*min)[i], (*median)[i], (*max)[i]});
  }
  return curve_points;
}

std::optional<std::vector<Work>> WorkOf(const Json& report, std::string_view metric) {
  const auto curve = CurveOf(report, metric);
  if (!curve) return std::nullopt;
  std::vector<Work> work;
  double start = 0;
  for (const Series::Point& point : *curve) {
    work.push_back({start, point.x, point.median * (point.x - start)});
    start = point.x;
  }
  return work;
}

std::optional<Distribution> DistributionOf(const Json& report, std::string_view metric) {
  for (const Json& item : ListOf(report, "histograms")) {
    if (GetString(item, {"metric"}) != metric) continue;
    Distribution distribution;
    distribution.min = GetInt(item, {"min"}).value_or(0);
    distribution.max = GetInt(item, {"max"}).value_or(0);
    for (const Json& bucket : ListOf(item, "buckets")) {
      if (!bucket.is_array() || bucket.size() != 2 || !bucket[0].is_number_integer() ||
          !bucket[1].is_number_integer()) {
        return std::nullopt;
      }
      distribution.buckets.emplace_back(bucket[0].get<std::int64_t>(),
                                        bucket[1].get<std::int64_t>());
      if (distribution.buckets.back().second < 0) return std::nullopt;
      distribution.count += distribution.buckets.back().second;
    }
    return distribution;
  }
  return std::nullopt;
}

std::int64_t Distribution::ValueAt(double quantile) const {
  // The tolerance of contract/histogram.cc: 0.07 × 100 is 7, whatever a double makes of it.
  const double exact = quantile * static_cast<double>(count) * (1 - 1e-12);
  const auto rank = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(exact)));
  std::int64_t seen = 0;
  for (const auto& [value, n] : buckets) {
    seen += n;
    if (seen >= rank) return std::min(value, max);
  }
  return max;
}

}  // namespace torchsoak::runner
