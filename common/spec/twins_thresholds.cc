#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "common/base/units.h"
#include "common/contract/metrics.h"
#include "common/spec/twins.h"

namespace torchsoak::spec::twins {
namespace {

bool In(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool EndsInOneOf(const std::string& metric, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return metric.ends_with(end); });
}

std::string Metric(const RuleInput& in) { return GetString(in.self, {"metric"}); }

/// Bounds that are set match.
bool BoundsMatch(const RuleInput& in, const RE2& pattern) {
  for (const std::string_view key : {"min", "max"}) {
    const Json* bound = Find(in.self, {key});
    if (bound == nullptr) continue;
    if (!RE2::PartialMatch(bound->get_ref<const std::string&>(), pattern)) return false;
  }
  return true;
}

}  // namespace

bool HasBound(const RuleInput& in) { return in.self.contains("min") || in.self.contains("max"); }

bool MinBelowMax(const RuleInput& in) {
  const contract::MetricInfo* metric = contract::FindMetric(Metric(in));
  if (metric == nullptr || !in.self.contains("min") || !in.self.contains("max")) return true;
  const auto low = ParseValue(GetString(in.self, {"min"}), metric->unit);
  const auto high = ParseValue(GetString(in.self, {"max"}), metric->unit);
  return !low || !high || *low <= *high;  // a text with a wrong unit has a rule of its own
}

bool TimeBound(const RuleInput& in) {
  static const RE2 time("^[0-9]+([.][0-9]+)?(ns|us|ms|s|m|h)$");
  return !EndsInOneOf(Metric(in), {"Time", ".latency"}) || BoundsMatch(in, time);
}

bool MemoryBound(const RuleInput& in) {
  static const RE2 memory("^[0-9]+([.][0-9]+)?(B|KiB|MiB|GiB|TiB)$");
  return !In(Metric(in),
             {"memory.allocated", "memory.peakAllocated", "process.rss", "process.rssAnon"}) ||
         BoundsMatch(in, memory);
}

bool RateBound(const RuleInput& in) {
  static const RE2 rate("^[0-9]+([.][0-9]+)?(/s)?$");
  return !Metric(in).ends_with(".samplesPerSecond") || BoundsMatch(in, rate);
}

bool ComputingBound(const RuleInput& in) {
  static const RE2 rate("^[0-9]+([.][0-9]+)?[MGTP]FLOP/s$");
  return !Metric(in).ends_with(".flopsPerSecond") || BoundsMatch(in, rate);
}

bool BandwidthBound(const RuleInput& in) {
  static const RE2 rate("^[0-9]+([.][0-9]+)?[MGT]B/s$");
  return !Metric(in).ends_with(".bytesPerSecond") || BoundsMatch(in, rate);
}

bool ErrorRateBound(const RuleInput& in) {
  static const RE2 percent("^[0-9]+([.][0-9]+)?%$");
  return !Metric(in).ends_with("Rate") || BoundsMatch(in, percent);
}

bool LossBound(const RuleInput& in) {
  static const RE2 number("^-?[0-9]+([.][0-9]+)?$");
  const std::string metric = Metric(in);
  return !(metric.ends_with(".loss") || In(metric, {"process.descriptors", "process.threads"})) ||
         BoundsMatch(in, number);
}

bool StatisticFits(const RuleInput& in) {
  if (!in.self.contains("statistic")) return true;
  const std::string metric = Metric(in);
  const std::string statistic = GetString(in.self, {"statistic"});
  if (EndsInOneOf(metric, {".stepTime", ".latency"})) return !In(statistic, {"P10", "Last"});
  if (metric.ends_with(".epochTime")) return In(statistic, {"Mean", "Min", "Max", "Last"});
  if (metric.ends_with(".loss")) return In(statistic, {"Last", "Min", "Max"});
  if (metric.ends_with("PerSecond")) return In(statistic, {"Mean", "Min", "P10", "P50"});
  if (metric.ends_with("Rate")) return statistic == "Mean";
  return In(statistic, {"Last", "Max"});
}

}  // namespace torchsoak::spec::twins
