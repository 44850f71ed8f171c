#include "operator/k8s/cache/store.h"

#include <mutex>
#include <unordered_set>
#include <utility>

namespace torchsoak::k8s {

std::vector<Change> Store::Replace(const std::string& ns, std::vector<Record> records,
                                   BootTime now) {
  std::unordered_set<ObjectKey> present;
  for (const Record& record : records) present.insert(record.key);

  std::vector<Change> changes;
  const std::unique_lock lock(mutex_);
  std::vector<Record> absent;
  for (const auto& [key, record] : objects_) {
    if ((ns.empty() || key.ns == ns) && !present.contains(key)) absent.push_back(record);
  }
  for (const Record& record : absent) RemoveLocked(record, false, now, changes);
  for (Record& record : records) UpsertLocked(std::move(record), now, changes);
  return changes;
}

std::vector<Change> Store::Upsert(Record record, BootTime now) {
  std::vector<Change> changes;
  const std::unique_lock lock(mutex_);
  graveyard_.Clear(now);
  UpsertLocked(std::move(record), now, changes);
  return changes;
}

std::vector<Change> Store::Erase(Record last, BootTime now) {
  std::vector<Change> changes;
  const std::unique_lock lock(mutex_);
  const auto it = objects_.find(last.key);
  if (it == objects_.end() || it->second.uid != last.uid) return changes;
  RemoveLocked(last, true, now, changes);
  return changes;
}

void Store::UpsertLocked(Record record, BootTime now, std::vector<Change>& changes) {
  const auto it = objects_.find(record.key);
  if (it != objects_.end() && it->second.uid != record.uid) {
    const Record old = it->second;
    RemoveLocked(old, false, now, changes);  // its deletion was never seen
  } else if (it != objects_.end()) {
    Record& old = it->second;
    if (record.version <= old.version) return;
    index_.Remove(old.index, old.key);
    index_.Add(record.index, record.key);
    changes.push_back({ChangeKind::kUpdated, record.key, old.object, record.object});
    old = std::move(record);
    return;
  }
  index_.Add(record.index, record.key);
  changes.push_back({ChangeKind::kAdded, record.key, nullptr, record.object});
  objects_.emplace(record.key, std::move(record));
}

void Store::RemoveLocked(const Record& last, bool final_state_known, BootTime now,
                         std::vector<Change>& changes) {
  const auto it = objects_.find(last.key);
  index_.Remove(it->second.index, last.key);
  objects_.erase(it);
  graveyard_.Bury(last.index, last.object, now);
  changes.push_back({ChangeKind::kDeleted, last.key, last.object, nullptr, final_state_known});
}

ObjectPtr Store::Get(const ObjectKey& key) const {
  const std::shared_lock lock(mutex_);
  const auto it = objects_.find(key);
  return it == objects_.end() ? nullptr : it->second.object;
}

std::vector<ObjectPtr> Store::ByIndex(const std::string& value) const {
  const std::shared_lock lock(mutex_);
  std::vector<ObjectPtr> found;
  for (const ObjectKey& key : index_.Keys(value)) found.push_back(objects_.at(key).object);
  return found;
}

std::vector<ObjectPtr> Store::All() const {
  const std::shared_lock lock(mutex_);
  std::vector<ObjectPtr> all;
  all.reserve(objects_.size());
  for (const auto& [key, record] : objects_) all.push_back(record.object);
  return all;
}

std::vector<ObjectPtr> Store::DeletedByIndex(const std::string& value, BootTime now) const {
  const std::shared_lock lock(mutex_);
  return graveyard_.Find(value, now);
}

std::size_t Store::Size() const {
  const std::shared_lock lock(mutex_);
  return objects_.size();
}

}  // namespace torchsoak::k8s
