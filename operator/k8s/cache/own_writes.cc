#include "operator/k8s/cache/own_writes.h"

#include <algorithm>

#include "operator/k8s/meta.h"

namespace torchsoak::k8s {

void OwnWrites::Remember(const ResourceType& type, const Uid& uid, const std::string& ns,
                         const ResourceVersion& version) {
  if (uid.empty() || version.empty()) return;
  const BootTime now = clock_.Boot();
  const std::lock_guard lock(mutex_);
  Write& write = writes_[{uid, type}];
  if (version <= write.version) return;
  write = {ns, version, now};
}

void OwnWrites::Remember(const ResourceType& type, const Json& written) {
  Remember(type, UidOf(written), KeyOf(written).ns, VersionOf(written));
}

OwnWrites::Gate OwnWrites::Check(const ResourceType& type, const Uid& uid,
                                 const Informer& informer) {
  const BootTime now = clock_.Boot();
  const std::lock_guard lock(mutex_);
  const auto it = writes_.find({uid, type});
  if (it == writes_.end()) return Gate::kOpen;
  const Write& write = it->second;
  const bool reached = informer.Reached(write.ns, write.version);
  if (!reached && now - write.at < kPatience) return Gate::kPending;
  writes_.erase(it);
  return reached ? Gate::kOpen : Gate::kOverdue;
}

void OwnWrites::Forget(const Uid& uid) {
  const std::lock_guard lock(mutex_);
  const auto first = writes_.lower_bound({uid, ResourceType{}});
  const auto last = std::find_if(first, writes_.end(),
                                 [&uid](const auto& entry) { return entry.first.first != uid; });
  writes_.erase(first, last);
}

std::size_t OwnWrites::Size() const {
  const std::lock_guard lock(mutex_);
  return writes_.size();
}

}  // namespace torchsoak::k8s
