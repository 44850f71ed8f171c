#include "runner/watch/watchdog.h"

#include <algorithm>
#include <string>

#include "common/base/duration.h"

namespace torchsoak::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// The most that one look adds to the silence: while the machine sleeps or the process is frozen
/// nobody looks, and that time is not the workload's fault.
constexpr nanoseconds kMostPerLook = std::chrono::seconds(1);

std::string StallDetail(const Watchdog::Look& look, nanoseconds silence) {
  // Looks come every now and then: what is beyond whole seconds says when one came.
  const auto time = FormatDuration(silence < std::chrono::seconds(1)
                                       ? std::chrono::duration_cast<milliseconds>(silence)
                                       : std::chrono::duration_cast<std::chrono::seconds>(silence));
  const std::string phase(ToString(look.phase));
  if (look.phase == Phase::kWarmup || look.phase == Phase::kMeasure) {
    return "step " + std::to_string(look.step) + " of phase " + phase + " did not finish in " +
           time;
  }
  return "phase " + phase + " made no progress for " + time;
}

}  // namespace

Watchdog::Watchdog(const Limits& limits, BootTime started)
    : limits_(limits), started_(started), last_look_(started) {}

void Watchdog::CountSilence(const Look& look) {
  if (look.beats != beats_) {
    silence_ = nanoseconds(0);
  } else {
    silence_ += std::clamp(look.now - last_look_, nanoseconds(0), kMostPerLook);
  }
  beats_ = look.beats;
  last_look_ = look.now;
}

Watchdog::Decision Watchdog::Check(const Look& look) {
  if (look.phase == Phase::kFlush) return {};
  CountSilence(look);
  if (!stopping_since_) {
    if (look.signals > 0) {
      cause_ = End::Cause::kSignal;
      stopping_since_ = look.now;
    } else if (limits_.run && look.now - started_ >= *limits_.run) {
      cause_ = End::Cause::kRunTimeout;
      stopping_since_ = look.now;
    }
  }
  if (stopping_since_) {
    const bool now = look.signals >= 2 || look.now - *stopping_since_ >= limits_.stop_grace;
    return {now ? Order::kFlush : Order::kStop, {cause_, "", now ? silence_ : nanoseconds(0)}};
  }
  if (silence_ >= limits_.stall) {
    return {Order::kFlush, {End::Cause::kStalled, StallDetail(look, silence_), silence_}};
  }
  return {};
}

}  // namespace torchsoak::runner
