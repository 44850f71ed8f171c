#pragma once
// Where the measuring thread pins the latest snapshot for the supervisor.

#include <memory>
#include <mutex>

#include "runner/stats/snapshot.h"

namespace torchsoak::runner {

/// Thread-safe. The mutex is held only for exchanging a pointer.
class Board {
 public:
  void Publish(std::shared_ptr<const Snapshot> snapshot);

  /// The latest snapshot; nothing when the lock was not to be had, so that the caller goes on with
  /// the one it has: the publisher may be hung at just this place.
  std::shared_ptr<const Snapshot> TryLatest() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> latest_;  ///< guarded by mutex_
};

}  // namespace torchsoak::runner
