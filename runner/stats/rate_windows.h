#pragma once
// Throughput over time: work (samples, floating-point operations) per second in windows that end at
// step boundaries. Time spent on something else in a step can be left out.
//
// A window ends with the first step that finishes after the window's width has passed, so a window
// is never empty and never divides by zero; one long step is one window. When 512 windows are full,
// neighbours are joined and the width doubles. Not thread-safe.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace torchsoak::runner {

class RateWindows {
 public:
  explicit RateWindows(std::chrono::nanoseconds width = std::chrono::seconds(1),
                       std::size_t max_windows = 512);

  /// `work` was finished by a step that ended at `at` (since measuring began, not falling);
  /// `aside` of its time went into something else.
  void Add(double work, std::chrono::nanoseconds at, std::chrono::nanoseconds aside = {});

  struct Window {
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    double work = 0;
    std::chrono::nanoseconds aside{};
    double PerSecond() const;
  };
  /// Finished windows; the one that is filling only when there is no other.
  std::vector<Window> Windows() const;

  /// Work over the whole time but for what went aside; nothing before the first step.
  std::optional<double> Mean() const;
  /// The slowest window of the first width, however long the run.
  std::optional<double> Min() const;
  /// The rate that this share of the windows does not reach: 0.5 is the middle window.
  std::optional<double> Quantile(double share) const;

  double work() const { return work_; }
  std::chrono::nanoseconds aside() const { return aside_; }

 private:
  void JoinNeighbours();

  std::chrono::nanoseconds first_width_;
  std::chrono::nanoseconds width_;
  std::size_t max_windows_;
  std::vector<Window> done_;
  Window filling_;
  Window short_;  ///< the one that is filling, of the first width
  std::optional<double> slowest_;
  double work_ = 0;
  std::chrono::nanoseconds aside_{};
};

}  // namespace torchsoak::runner
