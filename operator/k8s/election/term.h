#pragma once
// What the network thread tells the watchdog and the fence: two atomics, no locks.

#include <atomic>
#include <chrono>

#include "common/base/clock.h"

namespace torchsoak::k8s {

/// Written by the elector's thread, read by any.
class Term {
 public:
  /// `begun`: boot time at which the successful request was *sent*; the server's clock for us
  /// started no earlier, so our own deadline errs on the safe side.
  void Renewed(BootTime begun) { last_success_.store(begun.count(), std::memory_order_release); }

  /// Renewed must have been called before SetLeading(true).
  void SetLeading(bool leading) { leading_.store(leading, std::memory_order_release); }

  bool leading() const { return leading_.load(std::memory_order_acquire); }

  /// Leading, and the last success is younger than `limit`.
  bool Fresh(BootTime now, std::chrono::nanoseconds limit) const {
    return leading() && now - LastSuccess() < limit;
  }

  BootTime LastSuccess() const { return BootTime(last_success_.load(std::memory_order_acquire)); }

 private:
  std::atomic<bool> leading_{false};
  std::atomic<std::chrono::nanoseconds::rep> last_success_{0};
};

}  // namespace torchsoak::k8s
