#pragma once
// How many runs are timed together, and when there are enough: torch.utils.benchmark's Timer as a
// state machine (timeit, blocked_autorange, adaptive_autorange), with two differences: a block is
// not made longer than about a second, and timeit is timed in pieces, so that a run can be stopped.
//
// Free of LibTorch and of the clock. Used by one thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/contract/spec.h"

namespace torchsoak::runner {

class BlockTimer {
 public:
  /// Does so many runs, none included, and says how long they took.
  using TimeBlock = std::function<std::chrono::nanoseconds(std::int64_t runs)>;

  explicit BlockTimer(const contract::TimerSpec& spec) : spec_(spec) {}

  /// Warms up and finds the length of a block: ten times as many runs until the clock's own time is
  /// at most a ten-thousandth of it and it is a thousandth of the least run time.
  void Calibrate(const TimeBlock& time_block);

  /// Runs of the next block; at least 1.
  std::int64_t Next() const;

  /// A block was timed. Without effect once finished.
  void Add(std::int64_t runs, std::chrono::nanoseconds time);

  /// Forgets the blocks (those of a warm-up), not their length.
  void Restart();

  /// There are as many as the spec asks for, or it cannot be reached.
  bool finished() const { return finished_; }

  /// False when AdaptiveAutorange gave up: its time, or 10 000 blocks, did not make the blocks
  /// agree.
  bool settled() const { return settled_; }

 private:
  void CalibratePieces(const TimeBlock& time_block);
  bool Agree() const;

  contract::TimerSpec spec_;
  std::int64_t block_ = 1;
  std::int64_t runs_ = 0;
  std::chrono::nanoseconds time_{};
  std::vector<double> sorted_;  ///< seconds a run; AdaptiveAutorange alone asks for it
  bool finished_ = false;
  bool settled_ = true;
};

}  // namespace torchsoak::runner
