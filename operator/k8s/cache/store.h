#pragma once
// The objects of one informer and their index, behind one lock.
//
// Every change returns what handlers must be told, after the store has it. Any thread may read;
// each key is written by one thread at a time.

#include <map>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/clock.h"
#include "operator/k8s/cache/graveyard.h"
#include "operator/k8s/cache/index.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

/// An object as it is stored. Identity is taken before trimming, so that trimming is free.
struct Record {
  ObjectKey key;
  Uid uid;
  ResourceVersion version;
  std::string index;  ///< "" = not indexed
  ObjectPtr object;
};

class Store {
 public:
  explicit Store(std::chrono::seconds keep_deleted) : graveyard_(keep_deleted) {}

  /// The namespace `ns` ("" = all of them) holds exactly `records`: at once for every reader.
  /// Absent keys become synthetic deletes, another UID under a key a delete and an add, an
  /// unchanged version nothing.
  std::vector<Change> Replace(const std::string& ns, std::vector<Record> records, BootTime now);

  /// One object added or modified. An older version of what is there changes nothing.
  std::vector<Change> Upsert(Record record, BootTime now);

  /// One object deleted; `last` is its final state. Unknown keys and another UID change nothing.
  std::vector<Change> Erase(Record last, BootTime now);

  ObjectPtr Get(const ObjectKey& key) const;
  std::vector<ObjectPtr> ByIndex(const std::string& value) const;
  std::vector<ObjectPtr> All() const;
  std::vector<ObjectPtr> DeletedByIndex(const std::string& value, BootTime now) const;
  std::size_t Size() const;

 private:
  void UpsertLocked(Record record, BootTime now, std::vector<Change>& changes);
  void RemoveLocked(const Record& last, bool final_state_known, BootTime now,
                    std::vector<Change>& changes);

  mutable std::shared_mutex mutex_;
  // All guarded by mutex_.
  std::map<ObjectKey, Record> objects_;
  Index index_;
  Graveyard graveyard_;
};

}  // namespace torchsoak::k8s
