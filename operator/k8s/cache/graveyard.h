#pragma once
// Deleted objects whose last state may still be wanted, for a while and not too many.
// Not thread-safe: guarded by the store's lock.

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "operator/k8s/cache/informer.h"

namespace torchsoak::k8s {

class Graveyard {
 public:
  static constexpr std::size_t kMost = 2000;

  /// 0 keeps nothing.
  explicit Graveyard(std::chrono::seconds keep) : keep_(keep) {}

  /// `index` is the object's index value; objects without one could never be asked for.
  void Bury(const std::string& index, ObjectPtr object, BootTime now) {
    Clear(now);
    if (keep_.count() <= 0 || index.empty() || object == nullptr) return;
    if (graves_.size() >= kMost) graves_.pop_front();
    graves_.push_back({now, index, std::move(object)});
  }

  /// In the order of dying.
  std::vector<ObjectPtr> Find(const std::string& index, BootTime now) const {
    std::vector<ObjectPtr> found;
    for (const Grave& grave : graves_) {
      if (grave.index == index && now - grave.since <= keep_) found.push_back(grave.object);
    }
    return found;
  }

  /// Forgets what has been kept long enough.
  void Clear(BootTime now) {
    while (!graves_.empty() && now - graves_.front().since > keep_) graves_.pop_front();
  }

  std::size_t Size() const { return graves_.size(); }

 private:
  struct Grave {
    BootTime since;
    std::string index;
    ObjectPtr object;
  };

  const std::chrono::seconds keep_;
  std::deque<Grave> graves_;
};

}  // namespace torchsoak::k8s
