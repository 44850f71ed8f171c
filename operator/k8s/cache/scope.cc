#include "operator/k8s/cache/scope.h"

#include <algorithm>
#include <memory>

#include "operator/k8s/meta.h"

namespace torchsoak::k8s {
namespace {

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Half of a typical object, and nothing that a decision reads.
void DropBallast(Json& object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return;
  metadata->erase("managedFields");
  const auto annotations = metadata->find("annotations");
  if (annotations != metadata->end() && annotations->is_object()) annotations->erase(kLastApplied);
}

}  // namespace

Scope::Scope(std::string ns, const InformerOptions& options, Store& store, Clock& clock,
             std::function<void(const std::vector<Change>&)> deliver)
    : ns_(std::move(ns)),
      options_(options),
      store_(store),
      clock_(clock),
      deliver_(std::move(deliver)),
      progress_(clock.Boot()) {}

bool Scope::Synced() const {
  const std::lock_guard lock(mutex_);
  return synced_;
}

bool Scope::Reached(const ResourceVersion& version) const {
  const std::lock_guard lock(mutex_);
  return version_ >= version;
}

BootTime Scope::LastProgress() const {
  const std::lock_guard lock(mutex_);
  return progress_;
}

Record Scope::MakeRecord(Json&& object) const {
  Record record;
  record.key = KeyOf(object);
  record.uid = UidOf(object);
  record.version = VersionOf(object);
  DropBallast(object);
  Json kept = options_.trim ? options_.trim(std::move(object)) : std::move(object);
  if (options_.index) record.index = options_.index(kept);
  record.object = std::make_shared<const Json>(std::move(kept));
  return record;
}

void Scope::KeepPage(std::vector<Json>&& items) {
  pages_.reserve(pages_.size() + items.size());
  for (Json& item : items) {
    pages_.push_back(MakeRecord(std::move(item)));
    item = nullptr;  // freed one by one: a page in full size is large
  }
}

void Scope::DropPages() { pages_ = {}; }

void Scope::Replace(const ResourceVersion& version) {
  const auto changes = store_.Replace(ns_, std::exchange(pages_, {}), clock_.Boot());
  Advance(version);
  deliver_(changes);
  const std::lock_guard lock(mutex_);
  synced_ = true;
}

void Scope::Upsert(Json&& object, const ResourceVersion& version) {
  const auto changes = store_.Upsert(MakeRecord(std::move(object)), clock_.Boot());
  Advance(version);
  deliver_(changes);
}

void Scope::Erase(Json&& object, const ResourceVersion& version) {
  const auto changes = store_.Erase(MakeRecord(std::move(object)), clock_.Boot());
  Advance(version);
  deliver_(changes);
}

void Scope::Advance(const ResourceVersion& version) {
  const std::lock_guard lock(mutex_);
  version_ = std::max(version_, version);
}

void Scope::OnProgress() {
  const BootTime now = clock_.Boot();
  const std::lock_guard lock(mutex_);
  progress_ = now;
}

void Scope::OnRestart(RestartCause cause, const std::string& detail) {
  if (options_.on_restart) options_.on_restart(ToString(cause), detail);
}

}  // namespace torchsoak::k8s
