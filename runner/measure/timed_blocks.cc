#include "runner/measure/timed_blocks.h"

#include <algorithm>

#include "common/stats/timing.h"

namespace torchsoak::runner {
namespace {

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

void TimedBlocks::Add(std::int64_t runs, const TimedBlock& block) {
  if (runs <= 0) return;
  if (seconds_.empty()) runs_per_block_ = runs;
  seconds_.push_back(Seconds(block.time) / static_cast<double>(runs));
  runs_ += runs;
  time_ += block.time;
  last_ = block.last;
  settled_ = block.settled;
}

std::vector<double> TimedBlocks::Sorted() const {
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  return sorted;
}

BlockSpread TimedBlocks::Spread() const {
  return {static_cast<std::int64_t>(seconds_.size()), stats::TimingOf(Sorted()).Spread(), settled_};
}

Json TimedBlocks::ToJson(bool with_times) const {
  const std::vector<double> sorted = Sorted();
  const stats::Timing timing = stats::TimingOf(sorted);
  const double mean = runs_ == 0 ? 0 : Seconds(time_) / static_cast<double>(runs_);
  Json json = {
      {"blocks", seconds_.size()}, {"runsPerBlock", runs_per_block_},
      {"settled", settled_},       {"mean", mean},
      {"median", timing.median},   {"stdDev", timing.std_dev},
      {"p25", timing.p25},         {"p75", timing.p75},
      {"iqr", timing.iqr},         {"significantFigures", stats::SignificantFigures(sorted)}};
  if (with_times) json["times"] = seconds_;
  return json;
}

}  // namespace torchsoak::runner
