#include "runner/app/board.h"

#include <utility>

namespace torchsoak::runner {

void Board::Publish(std::shared_ptr<const Snapshot> snapshot) {
  {
    const std::lock_guard lock(mutex_);
    latest_ = (latest_ + 1) % kept_.size();
    kept_[latest_].swap(snapshot);
  }
  // The oldest one, a megabyte, is freed here and not under the lock.
}

std::shared_ptr<const Snapshot> Board::TryLatest() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() ? kept_[latest_] : nullptr;
}

}  // namespace torchsoak::runner
