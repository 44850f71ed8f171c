#pragma once
// Exponential back-off with jitter that is really applied.

#include <chrono>
#include <functional>

namespace torchsoak {

/// Grows from `first` by ×2 to `cap`; each delay gets up to 100 % jitter on top. Not thread-safe.
class Backoff {
 public:
  /// `random` returns a number in [0, 1).
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds cap,
          std::function<double()> random);

  /// The next delay; each call doubles the base.
  std::chrono::milliseconds Next();

  void Reset();

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds cap_;
  std::chrono::milliseconds base_;
  std::function<double()> random_;
};

}  // namespace torchsoak
