#pragma once
// Keys by value: which objects carry an owner's UID, for instance. Not thread-safe: the store's
// lock guards it together with the objects, so that both always agree.

#include <set>
#include <string>
#include <unordered_map>

#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

class Index {
 public:
  /// "" as a value means: not indexed.
  void Add(const std::string& value, const ObjectKey& key) {
    if (!value.empty()) keys_[value].insert(key);
  }

  void Remove(const std::string& value, const ObjectKey& key) {
    const auto it = keys_.find(value);
    if (it == keys_.end()) return;
    it->second.erase(key);
    if (it->second.empty()) keys_.erase(it);  // values come and go: keep none that is empty
  }

  /// In the keys' order; empty for an unknown value.
  const std::set<ObjectKey>& Keys(const std::string& value) const {
    static const std::set<ObjectKey> none;
    const auto it = keys_.find(value);
    return it == keys_.end() ? none : it->second;
  }

  /// Number of values that have a key.
  std::size_t Size() const { return keys_.size(); }

 private:
  std::unordered_map<std::string, std::set<ObjectKey>> keys_;
};

}  // namespace torchsoak::k8s
