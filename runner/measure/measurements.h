#pragma once
// Everything measured in one run, from the soak loop's samples to the contract's metrics.
//
// Copyable: a copy is the snapshot from which a partial result is made while the measuring thread
// hangs. About 1 MiB. Not thread-safe.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/histogram.h"
#include "common/contract/metrics.h"
#include "common/contract/modes.h"
#include "runner/detect/exact_leak.h"
#include "runner/device/device.h"
#include "runner/measure/streams.h"
#include "runner/measure/timed_blocks.h"
#include "runner/stats/rate_windows.h"
#include "runner/stats/series.h"

namespace torchsoak::runner {

/// Results that were compared, bit by bit, with what is right.
struct Checks {
  std::int64_t results = 0;
  std::int64_t wrong = 0;      ///< of them
  std::int64_t unchecked = 0;  ///< that there was nothing to compare with
  std::string detail;          ///< of the first wrong one; else why there was nothing
  double covered = 1;          ///< of what there is to check, the share that was so far
};

/// What one call of Workload::Step amounted to, with what the soak loop saw around it.
struct MeasuredStep {
  std::chrono::nanoseconds at{};  ///< end of the step, since measuring began
  std::int64_t steps = 1;         ///< optimizer steps or requests finished
  double work = 0;                ///< samples, floating-point operations: what the rate counts
  std::int64_t errors = 0;        ///< requests that failed
  std::string last_error;
  std::optional<double> loss;
  std::optional<bool> updated;  ///< where an optimizer step may be skipped: was it made?
  std::span<const std::int64_t> latencies_ns;
  MemoryUse memory;
  std::int64_t shape_key = 0;
  bool quiescent = true;             ///< memory may be compared with that of other such steps
  std::chrono::nanoseconds aside{};  ///< time that is not in the rate
  Checks checks;                     ///< of a mode that checks what it computes
  std::optional<TimedBlock> block;   ///< the steps are one, and their mean is the latency
};

struct Epoch {
  std::int64_t number = 0;  ///< from 1
  std::int64_t steps = 0;
  std::chrono::nanoseconds duration{};
  double mean_loss = 0;
  double last_loss = 0;
  std::int64_t peak = 0;  ///< bytes, of this epoch alone
};

/// 0.99 of P99; nothing for a statistic that is no percentile.
std::optional<double> QuantileOf(contract::Statistic statistic);

class Measurements {
 public:
  explicit Measurements(contract::Mode mode);

  void Add(const MeasuredStep& step);
  void AddEpoch(const Epoch& epoch);
  void AddProcess(std::chrono::nanoseconds at, const ProcessUse& use) { streams_.Add(at, use); }
  /// Loss of a warm-up step: counts for LossDecreases' start, not for any metric.
  void AddWarmupLoss(double loss);
  /// Checks of a warm-up step.
  void AddChecks(const Checks& checks);

  /// Values for every metric and statistic of the mode, in the contract's order.
  std::vector<contract::MetricValue> Metrics() const;
  /// Absent for a metric that the mode does not measure.
  contract::MetricValue Value(std::string_view metric, contract::Statistic statistic) const;

  std::int64_t steps() const { return steps_; }
  double work() const { return windows_.work(); }
  std::int64_t errors() const { return errors_; }
  const std::string& last_error() const { return last_error_; }
  const contract::Histogram& latency() const { return latency_; }
  const RateWindows& windows() const { return windows_; }
  const Series& loss() const { return loss_; }
  const Series& memory() const { return memory_; }
  const Streams& streams() const { return streams_; }
  const ExactLeak& leak() const { return leak_; }
  const std::deque<Epoch>& epochs() const { return epochs_; }  ///< the latest, at most 400
  std::int64_t epochs_finished() const { return epochs_finished_; }
  std::int64_t peak() const { return peak_; }
  std::chrono::nanoseconds elapsed() const { return elapsed_; }

  /// Step at which the loss was first NaN or infinite.
  std::optional<std::int64_t> non_finite_step() const { return non_finite_step_; }

  /// Optimizer steps that loss scaling left out because gradients overflowed.
  struct SkippedUpdates {
    std::int64_t possible = 0;  ///< steps that might have been left out; 0: no loss scaling
    std::int64_t skipped = 0;
    std::int64_t longest = 0;  ///< most in a row
  };
  const SkippedUpdates& skipped_updates() const { return skipped_updates_; }

  /// Those of warm-up steps, too: a wrong one is wrong whenever it comes.
  const Checks& checks() const { return checks_; }

  const TimedBlocks& blocks() const { return blocks_; }

  /// Every 50 steps: loss, current and peak memory. At most 512 rows; the stride doubles beyond.
  struct TraceRow {
    std::int64_t step = 0;
    std::optional<double> loss;
    std::int64_t allocated = 0;
    std::int64_t peak = 0;
  };
  const std::vector<TraceRow>& trace() const { return trace_; }

  /// Mean loss of the first and the latest steps; nothing below `kLossSteps` steps in all.
  static constexpr std::int64_t kLossSteps = 200;
  struct LossTrend {
    double start = 0;
    double end = 0;
  };
  std::optional<LossTrend> Trend() const;

  /// The first losses of all, of warm-up steps, too, and not finite ones: at most 1000. Two runs
  /// that computed the same bits have the same.
  const std::vector<double>& loss_trace() const { return loss_trace_; }
  std::int64_t losses() const { return losses_; }  ///< finite ones, warm-up included

 private:
  void AddLoss(double loss);
  void AddToLossTrace(double loss);
  void AddUpdate(bool updated);
  void AddTrace(const MeasuredStep& step);
  contract::MetricValue Make(std::string_view metric, contract::Statistic statistic,
                             std::optional<double> value, std::int64_t samples) const;
  std::optional<double> Latency(contract::Statistic statistic) const;
  std::optional<double> Rate(contract::Statistic statistic) const;
  std::optional<double> EpochTime(contract::Statistic statistic) const;
  std::optional<double> Peak(contract::Statistic statistic) const;

  contract::Mode mode_;
  std::int64_t steps_ = 0;
  std::int64_t errors_ = 0;
  std::string last_error_;
  std::chrono::nanoseconds elapsed_{};
  contract::Histogram latency_;
  RateWindows windows_;
  Series loss_;
  Series memory_;
  Streams streams_;
  ExactLeak leak_;

  std::deque<Epoch> epochs_;
  std::int64_t epochs_finished_ = 0;
  double epoch_seconds_ = 0;
  double epoch_min_ = 0;
  double epoch_max_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t last_peak_ = 0;

  Checks checks_;
  TimedBlocks blocks_;
  std::optional<std::int64_t> non_finite_step_;
  SkippedUpdates skipped_updates_;
  std::int64_t skipped_in_row_ = 0;
  bool last_loss_finite_ = true;
  std::int64_t losses_ = 0;
  std::vector<double> first_losses_;
  std::vector<double> loss_trace_;
  std::deque<double> latest_losses_;
  std::vector<TraceRow> trace_;
  std::int64_t trace_stride_ = 50;
};

}  // namespace torchsoak::runner
