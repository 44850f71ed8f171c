#pragma once
// How far a run is, for people and for the operator's display. No decision hangs on it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/contract/spec.h"
#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

struct Progress {
  Phase phase = Phase::kStart;
  std::int64_t step = 0;           ///< finished in this phase
  std::optional<double> fraction;  ///< of the measured part, 0..1
  std::optional<double> eta_seconds;
  std::optional<double> rate;
  std::string_view rate_metric;  ///< what `rate` is: training.samplesPerSecond
  std::optional<double> loss;
  std::optional<std::int64_t> epoch;   ///< the one that is running, from 1
  std::optional<std::int64_t> memory;  ///< bytes in live tensors
  std::optional<std::int64_t> peak;
};

/// `step` comes from the heartbeat, which is newer than the snapshot.
Progress ProgressOf(const contract::Spec& spec, const Snapshot& snapshot, std::int64_t step);

/// "measured  62%  epoch 7/10  step 512  loss 0.3121  25100/s  memory 36.1MiB (peak 42MiB)  eta
/// 12s"
std::string ProgressText(const contract::Spec& spec, const Progress& progress);

/// The same for a structured log line.
Json ProgressJson(const Progress& progress);

}  // namespace torchsoak::runner
