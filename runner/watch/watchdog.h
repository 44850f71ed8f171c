#pragma once
// When a run has to be stopped from outside of the measuring thread. Pure: fed with looks at the
// run, it says what to do.

#include <chrono>
#include <cstdint>
#include <optional>

#include "common/base/clock.h"
#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

class Watchdog {
 public:
  struct Limits {
    std::chrono::nanoseconds stall{};             ///< longest time without a finished step
    std::optional<std::chrono::nanoseconds> run;  ///< longest run; the operator's job in a pod
    /// How long a stop may take before the partial result is written without the measuring thread.
    /// With writing it (pod_delivery.cc) this stays under the pod's grace of 30 s.
    std::chrono::nanoseconds stop_grace = std::chrono::seconds(5);
  };
  Watchdog(const Limits& limits, BootTime started);

  struct Look {
    BootTime now{};
    std::uint64_t beats = 0;
    Phase phase = Phase::kStart;
    std::int64_t step = 0;
    int signals = 0;  ///< SIGTERM and SIGINT so far
  };
  enum class Order {
    kNone,
    kStop,   ///< the measuring thread is to stop after this step
    kFlush,  ///< write what there is and end the process: it will not stop by itself
  };
  struct Decision {
    Order order = Order::kNone;
    End end;
  };
  Decision Check(const Look& look);

 private:
  void CountSilence(const Look& look);

  Limits limits_;
  BootTime started_;
  BootTime last_look_;
  std::uint64_t beats_ = 0;
  std::chrono::nanoseconds silence_{};
  std::optional<BootTime> stopping_since_;
  End::Cause cause_ = End::Cause::kDone;
};

}  // namespace torchsoak::runner
