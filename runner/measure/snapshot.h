#pragma once
// The state of a run at one moment: all that is needed to write a result, partial or final.

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/contract/result.h"
#include "common/contract/verdict.h"
#include "runner/measure/measurements.h"

namespace torchsoak::runner {

/// In this order; a run may end in any of them.
enum class Phase { kStart, kPreflight, kPrepare, kCanary, kWarmup, kMeasure, kFlush };
inline constexpr std::size_t kPhases = 7;

/// "started", "preflight", "prepare", "canary", "warmup", "measured", "flushed": names of the
/// timeline.
std::string_view ToString(Phase phase);

/// Whether a detector saw the fault that it was shown before measuring (runner/canary).
struct Canary {
  enum class State { kProven, kSkipped, kDead };
  std::string detector;
  State state = State::kDead;
  std::string detail;  ///< what was shown, or why nothing was
};
/// "proven", "skipped", "dead".
std::string_view ToString(Canary::State state);

/// Immutable once published.
struct Snapshot {
  Phase phase = Phase::kStart;
  std::array<std::chrono::nanoseconds, kPhases> spent{};  ///< in phases that are over
  std::chrono::nanoseconds phase_began{};                 ///< boot time

  std::vector<contract::Gate> gates;  ///< preflight items, device count, canaries
  std::vector<Canary> canaries;
  contract::Place place;
  Json versions = Json::object();
  Json devices = Json::array();
  Json workload = Json::object();  ///< Workload::Describe

  std::int64_t warmup_steps = 0;
  std::shared_ptr<const Measurements> measured;  ///< null before the first measured step
  std::optional<contract::Outcome> outcome;      ///< set when it ended without the gates' say
  bool completed = false;  ///< it ended by itself; a stop that comes now changes nothing

  bool measuring() const { return measured != nullptr && measured->steps() > 0; }
};

/// What ended a run.
struct End {
  enum class Cause {
    kDone,        ///< a limit of the spec was reached, or `outcome` is set
    kSignal,      ///< SIGTERM or SIGINT
    kStalled,     ///< no step finished for timeouts.stall
    kRunTimeout,  ///< timeouts.run passed (local runs only)
  };
  Cause cause = Cause::kDone;
  std::string detail;                  ///< for kStalled: "step 17 of phase measured made no …"
  std::chrono::nanoseconds stalled{};  ///< part of the time at the end in which nothing moved
};

}  // namespace torchsoak::runner
