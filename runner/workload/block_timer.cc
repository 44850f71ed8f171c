#include "runner/workload/block_timer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "common/stats/timing.h"

namespace torchsoak::runner {
namespace {

using contract::TimerMethod;
using std::chrono::nanoseconds;

constexpr nanoseconds kPiece = std::chrono::milliseconds(100);
constexpr nanoseconds kLongBlock = std::chrono::milliseconds(500);
constexpr nanoseconds kAdaptiveLeast = std::chrono::milliseconds(50);  // as in torch
constexpr std::int64_t kFactor = 10;
constexpr std::int64_t kMostPerBlock = 1'000'000'000;
constexpr std::size_t kMostBlocks = 10'000;
constexpr double kMostOverhead = 1e-4;

double Seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

/// Pieces of about a tenth of a second, but no more than 10 000.
void BlockTimer::CalibratePieces(const BlockTimer::TimeBlock& time_block) {
  const std::int64_t warmup = std::max<std::int64_t>(spec_.number / 100, 2);
  const nanoseconds each = std::max(nanoseconds(1), time_block(warmup) / warmup);
  const auto most = static_cast<std::int64_t>(kMostBlocks);
  block_ = std::max({std::int64_t{1}, kPiece / each, (spec_.number + most - 1) / most});
}

void BlockTimer::Calibrate(const TimeBlock& time_block) {
  if (spec_.method == TimerMethod::kTimeit) return CalibratePieces(time_block);
  nanoseconds least = spec_.min_run_time;
  if (spec_.method == TimerMethod::kAdaptiveAutorange) least = std::max(least, kAdaptiveLeast);
  time_block(1);
  std::array<nanoseconds, 5> empty{};
  for (nanoseconds& time : empty) time = time_block(0);
  std::ranges::sort(empty);
  const double overhead = Seconds(empty[empty.size() / 2]);
  for (block_ = 1; block_ * kFactor <= kMostPerBlock; block_ *= kFactor) {
    const nanoseconds time = time_block(block_);
    if (time >= least / 1000 && overhead <= kMostOverhead * Seconds(time)) return;
    if (time > least || time > kLongBlock) return;
  }
}

std::int64_t BlockTimer::Next() const {
  if (spec_.method != TimerMethod::kTimeit) return block_;
  return std::clamp<std::int64_t>(spec_.number - runs_, 1, block_);
}

bool BlockTimer::Agree() const {
  return std::ssize(sorted_) >= contract::kLeastBlocks &&
         stats::TimingOf(sorted_).Spread() < spec_.threshold;
}

void BlockTimer::Add(std::int64_t runs, nanoseconds time) {
  if (finished_ || runs <= 0) return;
  runs_ += runs;
  time_ += time;
  switch (spec_.method) {
    case TimerMethod::kTimeit:
      finished_ = runs_ >= spec_.number;
      return;
    case TimerMethod::kBlockedAutorange:
      finished_ = time_ >= spec_.min_run_time;
      return;
    case TimerMethod::kAdaptiveAutorange:
      break;
  }
  const double each = Seconds(time) / static_cast<double>(runs);
  sorted_.insert(std::ranges::upper_bound(sorted_, each), each);
  if (time_ >= spec_.min_run_time && Agree()) {
    finished_ = true;
  } else if (time_ > spec_.max_run_time || sorted_.size() >= kMostBlocks) {
    finished_ = true;
    settled_ = false;
  }
}

void BlockTimer::Restart() {
  runs_ = 0;
  time_ = {};
  sorted_.clear();
  finished_ = false;
  settled_ = true;
}

}  // namespace torchsoak::runner
