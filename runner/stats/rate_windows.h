#pragma once
// Throughput over time: samples per second in windows that end at step boundaries.
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

  /// `samples` were finished by a step that ended at `at` (since measuring began, not falling).
  void Add(std::int64_t samples, std::chrono::nanoseconds at);

  struct Window {
    std::chrono::nanoseconds start{};
    std::chrono::nanoseconds end{};
    std::int64_t samples = 0;
    double PerSecond() const;
  };
  /// Finished windows; the one that is filling only when there is no other.
  std::vector<Window> Windows() const;

  /// Samples over the whole time; nothing before the first step.
  std::optional<double> Mean() const;
  /// The slowest window of the first width, however long the run.
  std::optional<double> Min() const;
  /// The middle window.
  std::optional<double> Median() const;

  std::int64_t samples() const { return samples_; }

 private:
  void JoinNeighbours();

  std::chrono::nanoseconds first_width_;
  std::chrono::nanoseconds width_;
  std::size_t max_windows_;
  std::vector<Window> done_;
  Window filling_;
  Window short_;  ///< the one that is filling, of the first width
  std::optional<double> slowest_;
  std::int64_t samples_ = 0;
};

}  // namespace torchsoak::runner
