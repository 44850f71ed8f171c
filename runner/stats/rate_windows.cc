#include "runner/stats/rate_windows.h"

#include <algorithm>

namespace torchsoak::runner {

using std::chrono::nanoseconds;

RateWindows::RateWindows(nanoseconds width, std::size_t max_windows)
    : first_width_(width), width_(width), max_windows_(std::max<std::size_t>(2, max_windows)) {}

double RateWindows::Window::PerSecond() const {
  const auto length = std::chrono::duration<double>(end - start - aside).count();
  return length > 0 ? work / length : 0;
}

void RateWindows::Add(double work, nanoseconds at, nanoseconds aside) {
  work_ += work;
  aside_ += aside;
  for (Window* window : {&filling_, &short_}) {
    window->work += work;
    window->aside += aside;
    window->end = std::max(window->end, at);
  }
  if (short_.end - short_.start >= first_width_) {
    slowest_ = std::min(slowest_.value_or(short_.PerSecond()), short_.PerSecond());
    short_ = {at, at, 0, {}};
  }
  if (filling_.end - filling_.start < width_) return;
  if (done_.size() >= max_windows_) JoinNeighbours();
  done_.push_back(filling_);
  filling_ = {at, at, 0, {}};
}

void RateWindows::JoinNeighbours() {
  width_ *= 2;
  std::size_t out = 0;
  for (std::size_t i = 0; i < done_.size(); i += 2, ++out) {
    Window window = done_[i];
    if (i + 1 < done_.size()) {
      window.end = done_[i + 1].end;
      window.work += done_[i + 1].work;
      window.aside += done_[i + 1].aside;
    }
    done_[out] = window;
  }
  done_.resize(out);
}

std::vector<RateWindows::Window> RateWindows::Windows() const {
  if (!done_.empty() || filling_.end == filling_.start) return done_;
  return {filling_};
}

std::optional<double> RateWindows::Mean() const {
  const auto seconds = std::chrono::duration<double>(filling_.end - aside_).count();
  if (seconds <= 0) return std::nullopt;
  return work_ / seconds;
}

std::optional<double> RateWindows::Min() const {
  if (slowest_ || filling_.end == filling_.start) return slowest_;
  return filling_.PerSecond();
}

std::optional<double> RateWindows::Quantile(double share) const {
  std::vector<double> rates;
  for (const Window& window : Windows()) rates.push_back(window.PerSecond());
  if (rates.empty()) return std::nullopt;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(rates.size()));
  const auto it = rates.begin() + static_cast<std::ptrdiff_t>(std::min(at, rates.size() - 1));
  std::nth_element(rates.begin(), it, rates.end());
  return *it;
}

}  // namespace torchsoak::runner
