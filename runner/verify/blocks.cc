#include "runner/verify/blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "common/stats/timing.h"
#include "runner/verify/evidence.h"

namespace torchsoak::runner {
namespace {

constexpr double kRounding = 1e-9;

/// Block by block; nothing when they were left out or are not numbers.
std::optional<std::vector<double>> TimesOf(const Json& report) {
  const Json* list = Find(report, {"benchmark", "times"});
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<double> times;
  for (const Json& item : *list) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return std::nullopt;
    times.push_back(item.get<double>());
  }
  return times;
}

/// Over runs: every block has as many, but the last, which has what is left of the steps.
double MeanOf(const Json& report, const std::vector<double>& times) {
  const auto steps = static_cast<double>(GetInt(report, {"outcome", "steps"}).value_or(0));
  const auto runs = static_cast<double>(GetInt(report, {"benchmark", "runsPerBlock"}).value_or(0));
  if (times.empty() || steps <= 0) return 0;
  const double but_last = std::accumulate(times.begin(), times.end() - 1, 0.0) * runs;
  const double left = steps - runs * static_cast<double>(times.size() - 1);
  return (but_last + left * times.back()) / steps;
}

}  // namespace

BlockSpread CheckBlocks(const Json& report, const contract::TimerSpec& timer,
                        std::vector<std::string>& problems) {
  BlockSpread spread;
  spread.blocks = GetInt(report, {"benchmark", "blocks"}).value_or(0);
  spread.settled = GetBool(report, {"benchmark", "settled"});
  const double median = NumberAt(report, {"benchmark", "median"}).value_or(0);
  spread.spread = median > 0 ? NumberAt(report, {"benchmark", "iqr"}).value_or(0) / median : 0;
  auto times = TimesOf(report);
  if (!times) return spread;
  const double mean = MeanOf(report, *times);
  std::ranges::sort(*times);
  const stats::Timing timing = stats::TimingOf(*times);
  struct Claim {
    const char* name;
    double value;
  };
  const std::array<Claim, 8> claims = {
      {{"blocks", static_cast<double>(times->size())},
       {"mean", mean},
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
      (spread.blocks < contract::kLeastBlocks || !(spread.spread < timer.threshold))) {
    problems.emplace_back(
        "the blocks are given as settled, but are too few or differ by more than the threshold");
  }
  return spread;
}

}  // namespace torchsoak::runner
