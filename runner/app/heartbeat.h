#pragma once
// Signs of life from the measuring thread, and where it is. Written by that thread, read by the
// supervisor; no lock, so that a hung writer cannot hold up the reader.

#include <atomic>
#include <cstdint>

#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

class Heartbeat {
 public:
  /// A phase begins.
  void Enter(Phase phase) {
    step_.store(0, std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
    Beat();
  }

  /// `n` steps were finished.
  void Steps(std::int64_t n) {
    step_.fetch_add(n, std::memory_order_relaxed);
    Beat();
  }

  /// Something else was finished, such as a preflight item.
  void Beat() { beats_.fetch_add(1, std::memory_order_release); }

  std::uint64_t beats() const { return beats_.load(std::memory_order_acquire); }
  Phase phase() const { return phase_.load(std::memory_order_relaxed); }
  std::int64_t step() const { return step_.load(std::memory_order_relaxed); }  ///< in this phase

 private:
  std::atomic<std::uint64_t> beats_{0};
  std::atomic<Phase> phase_{Phase::kStart};
  std::atomic<std::int64_t> step_{0};
};

}  // namespace torchsoak::runner
