#pragma once
// A sleep on an injected Clock that another thread can end: for loops that wait for "work or time".

#include <chrono>
#include <mutex>
#include <stop_token>

#include "common/base/clock.h"

namespace torchsoak::k8s {

/// One thread waits, any thread rings. A ring before the wait is not lost; several count as one.
class Doorbell {
 public:
  void Ring() {
    std::stop_source sleeper{std::nostopstate};
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
      sleeper = sleeper_;
    }
    sleeper.request_stop();  // runs callbacks: never under our lock
  }

  /// Returns when rung, when `duration` has passed, or when `stop` is requested.
  void Wait(Clock& clock, std::chrono::nanoseconds duration, std::stop_token stop) {
    std::stop_source sleeper;
    {
      const std::lock_guard lock(mutex_);
      if (rung_) {
        rung_ = false;
        return;
      }
      sleeper_ = sleeper;
    }
    {
      const std::stop_callback forward(stop, [&sleeper] { sleeper.request_stop(); });
      clock.Sleep(duration, sleeper.get_token());
    }
    const std::lock_guard lock(mutex_);
    sleeper_ = std::stop_source{std::nostopstate};
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  bool rung_ = false;                           // guarded by mutex_
  std::stop_source sleeper_{std::nostopstate};  // guarded by mutex_
};

}  // namespace torchsoak::k8s
