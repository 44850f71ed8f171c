#pragma once
// A small API server in memory behind k8s::Client: versions, UIDs, conflicts, pages, watches.
//
// For tests of what stands above the client. It is an impression of a server, not one: schemas,
// defaults, garbage collection and controllers are not here. Faults are put in by SetFault and
// ScriptWatch. Thread-safe; blocking calls end by their stop token or StopWatches.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "operator/k8s/client.h"

namespace torchsoak::fakes {

class FakeClient final : public k8s::Client {
 public:
  enum class Verb {
    kGet,
    kList,
    kCreate,
    kUpdate,
    kApplyStatus,
    kMergePatch,
    kDelete,
    kReadLog,
    kWatch
  };

  /// A call as it came in.
  struct Call {
    Verb verb;
    std::string plural;
    k8s::ObjectKey key;  ///< name "" for lists and watches
    Json body;           ///< of writes
    k8s::ListOptions list;
    k8s::ResourceVersion version;  ///< of watches
    int timeout_seconds = 0;       ///< of watches
    k8s::DeleteOptions del;
    std::stop_token stop;  ///< the caller's: a fault may wait for it
  };

  /// What goes wrong with a call: before it is executed (as if never sent), or after (the reply is
  /// lost). Called without a lock; it may call the fake's other functions.
  struct Fault {
    Error error;
    bool after = false;
  };
  using FaultHook = std::function<std::optional<Fault>(const Call&)>;

  using Sink = std::function<bool(std::string_view)>;
  using WatchScript = std::function<Status(const Call&, const Sink&, std::stop_token)>;
  using LogScript = std::function<Status(const k8s::LogOptions&, const Sink&, std::stop_token)>;

  // Setting the scene.
  void SetFault(FaultHook hook);
  /// The next watches run these, in order; then the real one again.
  void ScriptWatch(WatchScript script);
  /// ReadLog of that pod; without one it answers kNotFound.
  void ScriptLog(const k8s::ObjectKey& pod, LogScript script);
  /// Watches from versions up to here answer kExpired; the history is forgotten.
  void Compact();
  /// Ends open watches in order, as a server does every few minutes.
  void StopWatches();

  // The world behind the client's back: other writers. No fault, not recorded.
  Json Put(const k8s::ResourceType& type, Json object);  ///< create or replace; returns it stored
  void Remove(const k8s::ResourceType& type, const k8s::ObjectKey& key);
  std::optional<Json> Peek(const k8s::ResourceType& type, const k8s::ObjectKey& key) const;

  // What happened.
  std::vector<Call> Calls() const;
  std::size_t Count(Verb verb, const std::string& plural = "") const;
  /// Blocks until that many calls of the verb have come in.
  void AwaitCalls(Verb verb, std::size_t count) const;
  k8s::ResourceVersion Version() const;

  // k8s::Client.
  Expected<Json> Get(const k8s::ResourceType& type, const k8s::ObjectKey& key,
                     std::stop_token stop) override;
  Expected<k8s::ListPage> List(const k8s::ResourceType& type, const std::string& ns,
                               const k8s::ListOptions& options, std::stop_token stop) override;
  Expected<Json> Create(const k8s::ResourceType& type, const std::string& ns, const Json& object,
                        std::stop_token stop) override;
  Expected<Json> Update(const k8s::ResourceType& type, const k8s::ObjectKey& key,
                        const Json& object, std::stop_token stop) override;
  Expected<Json> ApplyStatus(const k8s::ResourceType& type, const k8s::ObjectKey& key,
                             const Json& patch, std::stop_token stop) override;
  Expected<Json> MergePatch(const k8s::ResourceType& type, const k8s::ObjectKey& key,
                            const Json& patch, std::stop_token stop) override;
  Status Delete(const k8s::ResourceType& type, const k8s::ObjectKey& key,
                const k8s::DeleteOptions& options, std::stop_token stop) override;
  Status ReadLog(const k8s::ObjectKey& pod, const k8s::LogOptions& options, const Sink& sink,
                 std::stop_token stop) override;
  Status Watch(const k8s::ResourceType& type, const std::string& ns,
               const k8s::ListOptions& options, const k8s::ResourceVersion& version,
               int timeout_seconds, const Sink& sink, std::stop_token stop) override;

 private:
  using Id = std::pair<std::string, k8s::ObjectKey>;  // plural and key
  struct Event {
    long version;
    std::string type;
    std::string plural;
    Json object;
  };
  /// Does the work of a write under the lock.
  using Work = std::function<Expected<Json>()>;

  std::optional<Fault> Record(Call call);
  Expected<Json> Write(Call call, std::stop_token stop, const Work& work);
  Json StoreLocked(const std::string& plural, Json object);
  void RemoveLocked(const Id& id);
  Status StreamLocked(std::unique_lock<std::mutex>& lock, const Call& call, const Sink& sink,
                      std::stop_token stop);

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  // All guarded by mutex_.
  std::map<Id, Json> objects_;
  std::deque<Event> history_;
  long version_ = 100;
  long compacted_ = 0;
  long uids_ = 0;
  unsigned watch_stops_ = 0;
  FaultHook fault_;
  std::deque<WatchScript> watch_scripts_;
  std::map<k8s::ObjectKey, LogScript> logs_;
  std::vector<Call> calls_;
};

/// A minimal object; the fake fills in uid and resourceVersion.
Json MakeObject(const std::string& ns, const std::string& name, Json labels = Json::object());

/// One line of a watch stream, "\n" included.
std::string WatchLine(const std::string& type, const Json& object);

}  // namespace torchsoak::fakes
