#pragma once
// Time as a thing that is handed in, so that tests own it.
//
// Two clocks: the wall clock for what people read, and a boot clock (CLOCK_BOOTTIME: goes on while
// the machine sleeps, unlike std::chrono::steady_clock) for every measurement and deadline.

#include <chrono>
#include <memory>
#include <stop_token>

namespace torchsoak {

using WallTime = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;
using BootTime = std::chrono::nanoseconds;  ///< since boot; only differences mean anything

/// Thread-safe; implementations outlive everything that uses them.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Wall() const = 0;
  virtual BootTime Boot() const = 0;

  /// Sleeps for `duration` or until `stop` is requested. False when it was stopped.
  virtual bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) = 0;
};

/// The machine's clock.
std::unique_ptr<Clock> MakeSystemClock();

}  // namespace torchsoak
