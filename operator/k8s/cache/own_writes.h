#pragma once
// The own-write gate: do not decide on a copy of the world that is older than our last write.
//
// Right after a write of ours the informer still shows the state before it; deciding then creates
// things twice. So: remember the version that each write returned, and wait until that kind's
// informer has reached it (what KEP-5647 adds to Kubernetes itself). Keyed by UID, never by name:
// expectations kept by name wedge a re-created object for ever (kubernetes#131917).
//
// `uid` is the UID of the object that the decision is about. For a child that is just being
// created this is the *owner's* UID, with the child's type: the child is not in the cache yet.
// Thread-safe; never blocks; one instance per process, made in wiring.

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

class OwnWrites {
 public:
  /// How long a version may stay unseen (upstream's ExpectationsTimeout).
  static constexpr std::chrono::minutes kPatience{5};

  enum class Gate {
    kOpen,     ///< the informer shows our last write, or there was none
    kPending,  ///< not yet: look again in about a second
    kOverdue,  ///< not within kPatience: read live, then carry on. Said once per write.
  };

  explicit OwnWrites(Clock& clock) : clock_(clock) {}

  /// A write to an object of `type` in `ns` returned `version`. Several writes under one
  /// (type, uid): the latest version counts. An empty uid or version is ignored.
  void Remember(const ResourceType& type, const Uid& uid, const std::string& ns,
                const ResourceVersion& version);

  /// The same for the object as the server returned it, under its own UID.
  void Remember(const ResourceType& type, const Json& written);

  /// Compares with `informer`, which must be the one of `type`. An entry that has been reached or
  /// is overdue is forgotten here.
  Gate Check(const ResourceType& type, const Uid& uid, const Informer& informer);

  /// Check() == kPending. An overdue entry counts as not pending.
  bool Pending(const ResourceType& type, const Uid& uid, const Informer& informer) {
    return Check(type, uid, informer) == Gate::kPending;
  }

  /// The object `uid` is gone: forgets what was written under it, of all types.
  void Forget(const Uid& uid);

  std::size_t Size() const;

 private:
  struct Write {
    std::string ns;
    ResourceVersion version;
    BootTime at;
  };

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::pair<Uid, ResourceType>, Write> writes_;  // guarded by mutex_
};

}  // namespace torchsoak::k8s
