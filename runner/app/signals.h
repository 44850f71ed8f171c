#pragma once
// Signals, taken by a thread of their own instead of by handlers: as process 1 of a container
// there are no default actions, and a handler could do next to nothing.

#include <atomic>
#include <thread>

namespace torchsoak::runner {

/// Counts SIGTERM and SIGINT. As process 1 it also reaps orphans, so that helpers of libraries do
/// not stay as zombies. One at a time in a process.
class Signals {
 public:
  /// Blocks the signals in the calling thread, and so in every thread it starts later: make it
  /// before any other thread. Tests give `reap` to reap when not process 1.
  explicit Signals(bool reap);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// SIGTERM and SIGINT received so far.
  int stops() const { return stops_.load(); }

 private:
  void Loop();

  bool reap_;
  std::atomic<int> stops_{0};
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace torchsoak::runner
