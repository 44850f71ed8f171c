#pragma once
// Where the measuring thread pins the latest snapshot for the supervisor.

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

/// Thread-safe. The mutex is held only for exchanging pointers.
///
/// The last few snapshots stay alive here, so that it is the publisher who frees them: when it
/// hangs inside malloc, freeing its memory from another thread would hang that one, too.
class Board {
 public:
  void Publish(std::shared_ptr<const Snapshot> snapshot);

  /// The latest snapshot; nothing when the lock was not to be had, so that the caller goes on with
  /// the one it has: the publisher may be hung at just this place.
  std::shared_ptr<const Snapshot> TryLatest() const;

 private:
  mutable std::mutex mutex_;
  std::array<std::shared_ptr<const Snapshot>, 4> kept_;  ///< a ring; guarded by mutex_
  std::size_t latest_ = 0;                               ///< guarded by mutex_
};

}  // namespace torchsoak::runner
