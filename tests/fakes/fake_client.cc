#include "tests/fakes/fake_client.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

namespace torchsoak::fakes {
namespace {

using k8s::ObjectKey;
using k8s::ResourceType;

ObjectKey KeyIn(const Json& object) {
  return {GetString(object, {"metadata", "namespace"}), GetString(object, {"metadata", "name"})};
}

std::string UidIn(const Json& object) { return GetString(object, {"metadata", "uid"}); }

std::string VersionIn(const Json& object) {
  return GetString(object, {"metadata", "resourceVersion"});
}

long Number(const std::string& text) {
  long value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "a=b,c=d"; labels that must all be there.
bool Matches(const Json& object, const std::string& selector) {
  std::istringstream terms(selector);
  std::string term;
  while (std::getline(terms, term, ',')) {
    const auto equals = term.find('=');
    if (GetString(object, {"metadata", "labels", term.substr(0, equals)}) !=
        term.substr(equals + 1)) {
      return false;
    }
  }
  return true;
}

bool InNamespace(const Json& object, const std::string& ns) {
  return ns.empty() || GetString(object, {"metadata", "namespace"}) == ns;
}

tl::unexpected<Error> Missing(const ObjectKey& key) {
  return Fail(ErrorCode::kNotFound, key.ToString() + " not found");
}

}  // namespace

Json MakeObject(const std::string& ns, const std::string& name, Json labels) {
  Json object = {{"metadata", {{"name", name}, {"labels", std::move(labels)}}}};
  if (!ns.empty()) object["metadata"]["namespace"] = ns;
  return object;
}

std::string WatchLine(const std::string& type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump() + "\n";
}

void FakeClient::SetFault(FaultHook hook) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(hook);
}

void FakeClient::ScriptWatch(WatchScript script) {
  const std::lock_guard lock(mutex_);
  watch_scripts_.push_back(std::move(script));
}

void FakeClient::ScriptLog(const ObjectKey& pod, LogScript script) {
  const std::lock_guard lock(mutex_);
  logs_[pod] = std::move(script);
}

void FakeClient::Compact() {
  const std::lock_guard lock(mutex_);
  history_.clear();
  compacted_ = version_;
  ++version_;  // the next list is newer than what was compacted
}

void FakeClient::StopWatches() {
  const std::lock_guard lock(mutex_);
  ++watch_stops_;
  changed_.notify_all();
}

Json FakeClient::Put(const ResourceType& type, Json object) {
  const std::lock_guard lock(mutex_);
  return StoreLocked(type.plural, std::move(object));
}

void FakeClient::Remove(const ResourceType& type, const ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  RemoveLocked({type.plural, key});
}

std::optional<Json> FakeClient::Peek(const ResourceType& type, const ObjectKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = objects_.find({type.plural, key});
  if (it == objects_.end()) return std::nullopt;
  return it->second;
}

std::vector<FakeClient::Call> FakeClient::Calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t FakeClient::Count(Verb verb, const std::string& plural) const {
  const std::lock_guard lock(mutex_);
  return std::count_if(calls_.begin(), calls_.end(), [&](const Call& call) {
    return call.verb == verb && (plural.empty() || call.plural == plural);
  });
}

void FakeClient::AwaitCalls(Verb verb, std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    const auto seen = std::count_if(calls_.begin(), calls_.end(),
                                    [verb](const Call& call) { return call.verb == verb; });
    return static_cast<std::size_t>(seen) >= count;
  });
}

k8s::ResourceVersion FakeClient::Version() const {
  const std::lock_guard lock(mutex_);
  return k8s::ResourceVersion(std::to_string(version_));
}

std::optional<FakeClient::Fault> FakeClient::Record(Call call) {
  FaultHook hook;
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(call);
    hook = fault_;
    changed_.notify_all();
  }
  return hook ? hook(call) : std::nullopt;
}

Expected<Json> FakeClient::Write(Call call, std::stop_token stop, const Work& work) {
  call.stop = stop;
  const auto fault = Record(std::move(call));
  if (fault && !fault->after) return tl::unexpected(fault->error);
  if (!fault && stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  const std::lock_guard lock(mutex_);
  Expected<Json> done = work();
  if (fault) return tl::unexpected(fault->error);
  return done;
}

Json FakeClient::StoreLocked(const std::string& plural, Json object) {
  const Id id{plural, KeyIn(object)};
  const auto old = objects_.find(id);
  Json& metadata = object["metadata"];
  if (!metadata.contains("uid")) {
    metadata["uid"] = old != objects_.end() ? UidIn(old->second) : "uid-" + std::to_string(++uids_);
  }
  metadata["resourceVersion"] = std::to_string(++version_);
  history_.push_back({version_, old == objects_.end() ? "ADDED" : "MODIFIED", plural, object});
  objects_[id] = object;
  changed_.notify_all();
  return object;
}

void FakeClient::RemoveLocked(const Id& id) {
  const auto it = objects_.find(id);
  if (it == objects_.end()) return;
  Json object = it->second;
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  history_.push_back({version_, "DELETED", id.first, std::move(object)});
  objects_.erase(it);
  changed_.notify_all();
}

Expected<Json> FakeClient::Get(const ResourceType& type, const ObjectKey& key,
                               std::stop_token stop) {
  return Write({.verb = Verb::kGet, .plural = type.plural, .key = key}, stop,
               [&]() -> Expected<Json> {
                 const auto it = objects_.find({type.plural, key});
                 if (it == objects_.end()) return Missing(key);
                 return it->second;
               });
}

Expected<k8s::ListPage> FakeClient::List(const ResourceType& type, const std::string& ns,
                                         const k8s::ListOptions& options, std::stop_token stop) {
  k8s::ListPage page;
  const auto listed = Write(
      {.verb = Verb::kList, .plural = type.plural, .key = {ns, ""}, .list = options}, stop,
      [&]() -> Expected<Json> {
        const long from = Number(options.continue_token);
        long at = 0;
        for (const auto& [id, object] : objects_) {
          if (id.first != type.plural || !InNamespace(object, ns)) continue;
          if (!Matches(object, options.label_selector) || at++ < from) continue;
          if (options.limit > 0 && page.items.size() >= static_cast<std::size_t>(options.limit)) {
            page.next = std::to_string(from + options.limit);
            break;
          }
          page.items.push_back(object);
        }
        page.version = k8s::ResourceVersion(std::to_string(version_));
        return Json();
      });
  if (!listed) return tl::unexpected(listed.error());
  return page;
}

Expected<Json> FakeClient::Create(const ResourceType& type, const std::string& ns,
                                  const Json& object, std::stop_token stop) {
  const ObjectKey key{ns, GetString(object, {"metadata", "name"})};
  return Write({.verb = Verb::kCreate, .plural = type.plural, .key = key, .body = object}, stop,
               [&]() -> Expected<Json> {
                 if (objects_.contains({type.plural, key})) {
                   return Fail(ErrorCode::kExists, key.ToString() + " already exists");
                 }
                 Json stored = object;
                 if (!ns.empty()) stored["metadata"]["namespace"] = ns;
                 return StoreLocked(type.plural, std::move(stored));
               });
}

Expected<Json> FakeClient::Update(const ResourceType& type, const ObjectKey& key,
                                  const Json& object, std::stop_token stop) {
  return Write({.verb = Verb::kUpdate, .plural = type.plural, .key = key, .body = object}, stop,
               [&]() -> Expected<Json> {
                 const auto it = objects_.find({type.plural, key});
                 if (it == objects_.end()) return Missing(key);
                 if (VersionIn(object) != VersionIn(it->second)) {
                   return Fail(ErrorCode::kConflict, key.ToString() + " has changed");
                 }
                 return StoreLocked(type.plural, object);
               });
}

Expected<Json> FakeClient::ApplyStatus(const ResourceType& type, const ObjectKey& key,
                                       const Json& patch, std::stop_token stop) {
  return Write(
      {.verb = Verb::kApplyStatus, .plural = type.plural, .key = key, .body = patch}, stop,
      [&]() -> Expected<Json> {
        const auto it = objects_.find({type.plural, key});
        if (it == objects_.end()) return Missing(key);
        if (UidIn(patch) != UidIn(it->second) || VersionIn(patch) != VersionIn(it->second)) {
          return Fail(ErrorCode::kConflict, key.ToString() + " has changed");
        }
        Json stored = it->second;
        const Json* status = Find(patch, {"status"});
        if (status != nullptr) stored["status"] = *status;
        if (stored == it->second) return stored;  // a no-op moves no version
        return StoreLocked(type.plural, std::move(stored));
      });
}

Expected<Json> FakeClient::MergePatch(const ResourceType& type, const ObjectKey& key,
                                      const Json& patch, std::stop_token stop) {
  return Write({.verb = Verb::kMergePatch, .plural = type.plural, .key = key, .body = patch}, stop,
               [&]() -> Expected<Json> {
                 const auto it = objects_.find({type.plural, key});
                 if (it == objects_.end()) return Missing(key);
                 Json stored = it->second;
                 stored.merge_patch(patch);
                 return StoreLocked(type.plural, std::move(stored));
               });
}

Status FakeClient::Delete(const ResourceType& type, const ObjectKey& key,
                          const k8s::DeleteOptions& options, std::stop_token stop) {
  const auto done =
      Write({.verb = Verb::kDelete, .plural = type.plural, .key = key, .del = options}, stop,
            [&]() -> Expected<Json> {
              const auto it = objects_.find({type.plural, key});
              if (it != objects_.end() && UidIn(it->second) == options.uid) {
                RemoveLocked(it->first);
              }
              return Json();
            });
  if (!done) return tl::unexpected(done.error());
  return {};
}

Status FakeClient::ReadLog(const ObjectKey& pod, const k8s::LogOptions& options, const Sink& sink,
                           std::stop_token stop) {
  const auto fault = Record({.verb = Verb::kReadLog, .plural = "pods", .key = pod, .stop = stop});
  if (fault) return tl::unexpected(fault->error);
  LogScript script;
  {
    const std::lock_guard lock(mutex_);
    const auto it = logs_.find(pod);
    if (it == logs_.end()) return Missing(pod);
    script = it->second;
  }
  return script(options, sink, stop);
}

Status FakeClient::Watch(const ResourceType& type, const std::string& ns,
                         const k8s::ListOptions& options, const k8s::ResourceVersion& version,
                         int timeout_seconds, const Sink& sink, std::stop_token stop) {
  const Call call{.verb = Verb::kWatch,
                  .plural = type.plural,
                  .key = {ns, ""},
                  .list = options,
                  .version = version,
                  .timeout_seconds = timeout_seconds,
                  .stop = stop};
  const auto fault = Record(call);
  if (fault) return tl::unexpected(fault->error);
  WatchScript script;
  std::unique_lock lock(mutex_);
  if (watch_scripts_.empty()) return StreamLocked(lock, call, sink, stop);
  script = std::move(watch_scripts_.front());
  watch_scripts_.pop_front();
  lock.unlock();
  return script(call, sink, stop);
}

Status FakeClient::StreamLocked(std::unique_lock<std::mutex>& lock, const Call& call,
                                const Sink& sink, std::stop_token stop) {
  long at = Number(call.version.text());
  const unsigned stops = watch_stops_;
  while (!stop.stop_requested()) {
    if (at < compacted_) return Fail(ErrorCode::kExpired, "too old resource version");
    const auto next = std::find_if(history_.begin(), history_.end(), [&](const Event& event) {
      return event.version > at && event.plural == call.plural &&
             InNamespace(event.object, call.key.ns) &&
             Matches(event.object, call.list.label_selector);
    });
    if (next != history_.end()) {
      at = next->version;
      const std::string line = WatchLine(next->type, next->object);
      lock.unlock();  // the sink may call the fake
      const bool more = sink(line);
      lock.lock();
      if (!more) return Fail(ErrorCode::kCancelled, "ended by the reader");
      continue;
    }
    if (watch_stops_ != stops) return {};
    const long seen = version_;
    changed_.wait(lock, stop, [&] { return version_ != seen || watch_stops_ != stops; });
  }
  return Fail(ErrorCode::kCancelled, "stopped");
}

}  // namespace torchsoak::fakes
