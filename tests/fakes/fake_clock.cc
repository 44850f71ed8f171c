#include "tests/fakes/fake_clock.h"

#include <algorithm>

namespace torchsoak::fakes {
namespace {

constexpr std::chrono::seconds kWallStart{1'767'323'045};  // 2026-01-02T03:04:05Z
constexpr std::chrono::hours kBootStart{24};

}  // namespace

WallTime FakeClock::Wall() const {
  const std::lock_guard lock(mutex_);
  return WallTime(kWallStart + std::chrono::duration_cast<std::chrono::microseconds>(passed_));
}

BootTime FakeClock::Boot() const {
  const std::lock_guard lock(mutex_);
  return kBootStart + passed_;
}

bool FakeClock::Sleep(std::chrono::nanoseconds duration, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  if (stop.stop_requested()) return false;
  if (duration.count() <= 0) return true;
  if (auto_advance_) {
    passed_ += duration;
    return true;
  }
  const unsigned me = next_sleeper_++;
  sleepers_[me] = {passed_ + duration, stop};
  changed_.notify_all();
  changed_.wait(lock, stop, [&] { return !sleepers_.contains(me); });
  sleepers_.erase(me);
  return !stop.stop_requested();
}

void FakeClock::Advance(std::chrono::nanoseconds by) {
  const std::lock_guard lock(mutex_);
  passed_ += by;
  std::erase_if(sleepers_, [this](const auto& sleeper) { return sleeper.second.due <= passed_; });
  changed_.notify_all();
}

void FakeClock::SetAutoAdvance(bool on) {
  const std::lock_guard lock(mutex_);
  auto_advance_ = on;
}

void FakeClock::AwaitSleepers(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    const auto asleep = std::count_if(sleepers_.begin(), sleepers_.end(), [](const auto& sleeper) {
      return !sleeper.second.stop.stop_requested();
    });
    return static_cast<std::size_t>(asleep) >= count;
  });
}

std::optional<std::chrono::nanoseconds> FakeClock::ShortestSleep() const {
  const std::lock_guard lock(mutex_);
  std::optional<std::chrono::nanoseconds> shortest;
  for (const auto& [id, sleeper] : sleepers_) {
    const auto left = sleeper.due - passed_;
    shortest = std::min(shortest.value_or(left), left);
  }
  return shortest;
}

}  // namespace torchsoak::fakes
