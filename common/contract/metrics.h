#pragma once
// The one list of metrics. The CRD's enum, the documentation and the code are tested against it.
//
// A metric's name says what it is: its first word who measures it (modes.h), its end the unit of a
// bound and the statistics, by which the CRD's rules go: …Time and .latency are times,
// .samplesPerSecond, .flopsPerSecond and .bytesPerSecond rates, …Rate shares, .loss a bare number;
// memory.allocated, memory.peakAllocated and process.rss… are sizes, process.descriptors and
// process.threads bare numbers.
// .stepTime and .latency have the statistics of a distribution.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/units.h"

namespace torchsoak::contract {

enum class Statistic { kMean, kMin, kMax, kP10, kP50, kP90, kP95, kP99, kP999, kStdDev, kLast };

std::string_view ToString(Statistic statistic);
std::optional<Statistic> ParseStatistic(std::string_view text);

struct MetricInfo {
  std::string_view name;
  Unit unit;
  std::span<const Statistic> statistics;  ///< the first is the default
  std::string_view description;
};

/// All metrics, sorted by name.
std::span<const MetricInfo> AllMetrics();

/// Nothing for an unknown name.
const MetricInfo* FindMetric(std::string_view name);

/// One measured number. An undefined number is absent (no value) and says how many samples there
/// were; it is never 0, NaN or a sentinel.
struct MetricValue {
  std::string name;
  Statistic statistic = Statistic::kMean;
  std::optional<double> value;  ///< in the metric's base unit; finite
  std::int64_t samples = 0;
};

}  // namespace torchsoak::contract
