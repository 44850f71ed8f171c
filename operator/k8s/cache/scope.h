#pragma once
// The part of an informer that one reflector fills: one namespace, or all of them.

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/cache/store.h"
#include "operator/k8s/watch/reflector.h"

namespace torchsoak::k8s {

/// Turns what the reflector says into records, changes and versions. Written by one reflector,
/// read by any thread.
class Scope final : public ReflectorSink {
 public:
  /// `deliver` passes changes on to the handlers, after the store has them.
  Scope(std::string ns, const InformerOptions& options, Store& store, Clock& clock,
        std::function<void(const std::vector<Change>&)> deliver);

  const std::string& ns() const { return ns_; }
  bool Synced() const;
  bool Reached(const ResourceVersion& version) const;
  BootTime LastProgress() const;

  void KeepPage(std::vector<Json>&& items) override;
  void DropPages() override;
  void Replace(const ResourceVersion& version) override;
  void Upsert(Json&& object, const ResourceVersion& version) override;
  void Erase(Json&& object, const ResourceVersion& version) override;
  void Advance(const ResourceVersion& version) override;
  void OnProgress() override;
  void OnRestart(RestartCause cause, const std::string& detail) override;

 private:
  Record MakeRecord(Json&& object) const;

  const std::string ns_;
  const InformerOptions& options_;
  Store& store_;
  Clock& clock_;
  const std::function<void(const std::vector<Change>&)> deliver_;
  std::vector<Record> pages_;  // the reflector's thread only

  mutable std::mutex mutex_;
  ResourceVersion version_;  // guarded by mutex_
  BootTime progress_;        // guarded by mutex_
  bool synced_ = false;      // guarded by mutex_
};

}  // namespace torchsoak::k8s
