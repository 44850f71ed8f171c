#pragma once
// A clock that stands still until the test moves it.

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>

#include "common/base/clock.h"

namespace torchsoak::fakes {

/// Thread-safe. Starts at 2026-01-02 03:04:05 UTC, one day after boot.
class FakeClock final : public Clock {
 public:
  WallTime Wall() const override;
  BootTime Boot() const override;

  /// Blocks until Advance has moved the clock that far, or `stop`. With auto-advance: moves the
  /// clock itself and returns at once.
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override;

  /// Moves both clocks and wakes who is due.
  void Advance(std::chrono::nanoseconds by);

  /// Sleepers move the clock themselves. For tests with one thread, where nobody else could.
  void SetAutoAdvance(bool on);

  /// Blocks until at least `count` threads sleep. Threads that Advance or their stop token has
  /// woken do not count, even when they have not run yet.
  void AwaitSleepers(std::size_t count) const;

  /// How long the sleeper that is due first will still sleep; nothing when none sleeps.
  std::optional<std::chrono::nanoseconds> ShortestSleep() const;

 private:
  struct Sleeper {
    std::chrono::nanoseconds due;
    std::stop_token stop;
  };

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::chrono::nanoseconds passed_{0};    // guarded by mutex_
  bool auto_advance_ = false;             // guarded by mutex_
  std::map<unsigned, Sleeper> sleepers_;  // guarded by mutex_
  unsigned next_sleeper_ = 0;             // guarded by mutex_
};

}  // namespace torchsoak::fakes
