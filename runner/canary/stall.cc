#include <algorithm>
#include <chrono>

#include "runner/canary/kinds.h"
#include "runner/watch/watchdog.h"

namespace torchsoak::runner {

Canary ShowStall(const contract::Spec& spec) {
  const std::string detail = "no step for ten times timeouts.stall";
  Watchdog::Limits limits;
  limits.stall = spec.timeouts.stall;
  Watchdog dog(limits, BootTime(0));
  Watchdog::Look look;
  look.phase = Phase::kMeasure;
  look.beats = 1;
  look.step = 17;
  // One look counts for a second of silence at most: as many looks as it takes, none after.
  const auto apart = std::chrono::seconds(1);
  for (look.now = BootTime(0); look.now <= 10 * limits.stall + apart; look.now += apart) {
    const Watchdog::Decision decision = dog.Check(look);
    if (decision.order == Watchdog::Order::kNone) continue;
    const bool seen =
        decision.order == Watchdog::Order::kFlush && decision.end.cause == End::Cause::kStalled;
    return seen ? Proven("Stall", detail) : Dead("Stall", detail);
  }
  return Dead("Stall", detail);
}

}  // namespace torchsoak::runner
