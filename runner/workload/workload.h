#pragma once
// What a run does over and over: the interface of a mode.
//
// The soak loop (runner/app/soak.h) owns time, limits, statistics, leak test and verdict; a
// workload only builds its model and makes steps (docs/architecture.md, "Adding a mode", has the
// other files of a mode). Limits and stop signals are looked at between steps: one that takes
// longer than some seconds makes its run end late, so a length that users choose has such a bound.
// All calls come from the measuring thread; a workload may use threads of its own, but between two
// calls they are idle and hold no tensor of a step.
//
// Free of LibTorch, so that the loop is tested with fakes.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"

namespace torchsoak::runner {

/// Results of a step that were compared with what is right.
struct Checked {
  std::int64_t results = 0;
  std::int64_t wrong = 0;      ///< of them
  std::int64_t unchecked = 0;  ///< that there was nothing to compare with
  std::string detail;          ///< of a wrong one, or why there was nothing
  double covered = 1;          ///< of what there is to check, the share that was since the start
};

/// Runs that were timed together: of a mode that ends by itself.
struct Block {
  std::chrono::nanoseconds time{};  ///< of all of them
  bool last = false;                ///< no more are needed: the run is over
  bool settled = true;              ///< false: it gave up without what it was asked for
};

struct StepReport {
  std::int64_t steps = 1;                  ///< optimizer steps or requests finished
  double work = 0;                         ///< done in them: what the mode's rate counts
  std::int64_t errors = 0;                 ///< requests that failed; the run goes on
  std::string last_error;                  ///< of the latest of them
  std::optional<double> loss;              ///< of this step, before the weights changed
  std::optional<bool> updated;             ///< where an optimizer step may be skipped: was it made?
  std::vector<std::int64_t> latencies_ns;  ///< one per request; empty: the whole call was one step
  std::int64_t shape_key = 0;              ///< equal for steps of the same shapes
  bool epoch_finished = false;             ///< this was the last step of an epoch
  bool quiescent = true;                   ///< no tensor of the step is alive any more
  std::chrono::nanoseconds aside{};  ///< of the call's time, not work: as for checking results
  Checked checked;                   ///< a mode that checks what it computes
  std::optional<Block> block;        ///< the `steps` are one; then there are no latencies
};

class Workload {
 public:
  virtual ~Workload() = default;

  /// For the report: sizes, parameter count, what is included in a step.
  virtual Json Describe() const = 0;

  /// Builds model and data. kTooLarge: out of memory.
  virtual Status Prepare() = 0;

  /// Warm-up is over: the next step is the first of epoch one.
  virtual void BeginMeasuring() {}

  /// Shows each check of its own a wrong result, after Prepare: the name of the check, what it was
  /// shown, and whether it saw it.
  struct Proof {
    std::string check;
    std::string shown;
    bool seen = false;
  };
  virtual Expected<std::vector<Proof>> ProveChecks() { return std::vector<Proof>(); }

  /// One step, finished on the device when it returns. A workload that makes several steps a call
  /// makes at most `most_steps`. kTooLarge: out of memory; any other error ends the run as a crash.
  virtual Expected<StepReport> Step(std::int64_t most_steps) = 0;
};

}  // namespace torchsoak::runner
