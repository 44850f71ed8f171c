#pragma once
// The blocks of runs that a benchmark timed, and what they say.

#include <chrono>
#include <cstdint>
#include <vector>

#include "common/base/json.h"

namespace torchsoak::runner {

/// A block as the soak loop saw it.
struct TimedBlock {
  std::chrono::nanoseconds time{};  ///< of all its runs together
  bool last = false;                ///< the timer has what it was asked for
  bool settled = true;              ///< false: it gave up
};

/// What the gate "Timing" looks at.
struct BlockSpread {
  std::int64_t blocks = 0;
  double spread = 0;  ///< interquartile range over median
  bool settled = true;
};

/// At most some 10 000 blocks (runner/workload/block_timer.h). Copyable; not thread-safe.
class TimedBlocks {
 public:
  void Add(std::int64_t runs, const TimedBlock& block);

  /// Seconds of a run, block by block.
  const std::vector<double>& seconds() const { return seconds_; }
  bool last() const { return last_; }
  bool settled() const { return settled_; }

  BlockSpread Spread() const;

  /// The report's section "benchmark"; times in seconds.
  Json ToJson(bool with_times) const;

 private:
  std::vector<double> Sorted() const;

  std::vector<double> seconds_;
  std::int64_t runs_ = 0;
  std::int64_t runs_per_block_ = 0;  ///< the last may have fewer
  std::chrono::nanoseconds time_{};
  bool last_ = false;
  bool settled_ = true;
};

}  // namespace torchsoak::runner
