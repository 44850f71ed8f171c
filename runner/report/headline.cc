#include "runner/report/headline.h"

#include <array>
#include <optional>

#include "common/base/units.h"

namespace torchsoak::runner {
namespace {

using contract::Statistic;

struct Line {
  const char* label;
  const char* metric;  ///< its end, or all of it
  struct Part {
    const char* label;
    Statistic statistic;
  };
  std::vector<Part> parts;
};

const std::vector<Line>& Lines() {
  static const std::vector<Line> kLines = {
      {"throughput", ".samplesPerSecond", {{"", Statistic::kMean}}},
      {"computed", ".flopsPerSecond", {{"sustained", Statistic::kP10}, {"mean", Statistic::kMean}}},
      {"copied", ".bytesPerSecond", {{"sustained", Statistic::kP10}, {"mean", Statistic::kMean}}},
      {"step time", ".stepTime", {{"p50", Statistic::kP50}, {"p99", Statistic::kP99}}},
      {"latency", ".latency", {{"p50", Statistic::kP50}, {"p99", Statistic::kP99}}},
      {"errors", ".errorRate", {{"", Statistic::kMean}}},
      {"loss", ".loss", {{"last", Statistic::kLast}}},
      {"peak memory", "memory.peakAllocated", {{"", Statistic::kMax}}},
      {"resident", "process.rss", {{"", Statistic::kMax}}},
  };
  return kLines;
}

std::optional<std::string> Text(const std::vector<contract::MetricValue>& metrics,
                                std::string_view end, Statistic statistic) {
  for (const contract::MetricValue& metric : metrics) {
    if (!metric.name.ends_with(end) || metric.statistic != statistic || !metric.value) continue;
    const contract::MetricInfo* info = contract::FindMetric(metric.name);
    return FormatValue(*metric.value, info != nullptr ? info->unit : Unit::kNone);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> Headlines(const std::vector<contract::MetricValue>& metrics) {
  std::vector<std::string> result;
  for (const Line& line : Lines()) {
    std::string text;
    for (const Line::Part& part : line.parts) {
      const auto value = Text(metrics, line.metric, part.statistic);
      if (!value) continue;
      text += text.empty() ? " " : ", ";
      if (*part.label != '\0') text += std::string(part.label) + " ";
      text += *value;
    }
    if (!text.empty()) result.push_back(line.label + text);
  }
  return result;
}

}  // namespace torchsoak::runner
