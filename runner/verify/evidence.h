#pragma once
// The parts of a report from which its conclusions are drawn, read without trusting it: whatever is
// missing or of another type is absent.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/contract/result.h"
#include "runner/detect/drift.h"
#include "runner/stats/series.h"

namespace torchsoak::runner {

/// The list at that key, or an empty one.
const Json& ListOf(const Json& report, std::string_view key);

std::vector<contract::MetricValue> MetricsOf(const Json& report);
std::vector<contract::Gate> GatesOf(const Json& report);

/// A curve by its metric; nothing when it is not there or not whole.
std::optional<std::vector<Series::Point>> CurveOf(const Json& report, std::string_view metric);

/// The throughput curve as work done in stretches of time.
std::optional<std::vector<Work>> WorkOf(const Json& report, std::string_view metric);

/// (highest value of a bucket, count), rising, with the extremes; in ns.
struct Distribution {
  std::vector<std::pair<std::int64_t, std::int64_t>> buckets;
  std::int64_t count = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;

  /// As contract::Histogram::ValueAt.
  std::int64_t ValueAt(double quantile) const;
};
std::optional<Distribution> DistributionOf(const Json& report, std::string_view metric);

/// A number at that path, finite.
std::optional<double> NumberAt(const Json& json, std::initializer_list<std::string_view> path);

}  // namespace torchsoak::runner
