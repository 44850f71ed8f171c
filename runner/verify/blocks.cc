#include "runner/verify/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "runner/verify/evidence.h"

namespace torchsoak::runner {
namespace {

constexpr double kRounding = 1e-9;

/// Rising; nothing when they were left out or are not numbers.
std::optional<std::vector<double>> SortedTimes(const Json& report) {
  const Json* list = Find(report, {"benchmark", "times"});
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<double> times;
  for (const Json& item : *list) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return std::nullopt;
    times.push_back(item.get<double>());
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

BlockSpread CheckBlocks(const Json& report, const contract::TimerSpec& timer,
                        std::vector<std::string>& problems) {
  BlockSpread spread;
  spread.blocks = GetInt(report, {"benchmark", "blocks"}).value_or(0);
  spread.settled = GetBool(report, {"benchmark", "settled"});
  const double median = NumberAt(report, {"benchmark", "median"}).value_or(0);
  spread.spread = median > 0 ? NumberAt(report, {"benchmark", "iqr"}).value_or(0) / median : 0;
  const auto times = SortedTimes(report);
  if (!times) return spread;
  const stats::Timing timing = stats::TimingOf(*times);
  struct Claim {
    const char* name;
    double value;
  };
  const std::array<Claim, 7> claims = {
      {{"blocks", static_cast<double>(times->size())},
       {"median", timing.median},
       {"p25", timing.p25},
       {"p75", timing.p75},
       {"iqr", timing.iqr},
       {"stdDev", timing.std_dev},
       {"significantFigures", static_cast<double>(stats::SignificantFigures(*times))}}};
  for (const Claim& claim : claims) {
    const auto said = NumberAt(report, {"benchmark", claim.name});
    if (said && std::abs(*said - claim.value) <= kRounding * std::abs(claim.value)) continue;
    problems.push_back(std::string("benchmark.") + claim.name +
                       " is not what the block times give");
  }
  spread.blocks = static_cast<std::int64_t>(times->size());
  spread.spread = timing.Spread();
  const bool adaptive = timer.method == contract::TimerMethod::kAdaptiveAutorange;
  if (adaptive && spread.settled && !GetBool(report, {"outcome", "partial"}) &&
      !(spread.spread < timer.threshold)) {
    problems.emplace_back("the blocks are given as settled, but differ by more than the threshold");
  }
  return spread;
}

}  // namespace torchsoak::runner
