#pragma once
// Which API calls a stream of Kubernetes events needs: equal ones become one series.
//
// Pure: no clock, no I/O, no threads. As client-go's tools/events: the first of its kind is
// created without a series, the second makes it `series.count = 2` (1 is refused by the server,
// kubernetes#112334), later ones are counted here; a series is refreshed every 30 minutes and
// finished after 6 minutes of silence. Equal means by UID, never by resourceVersion, or nothing
// ever matches (kube-rs#1655). Unlike there, the note counts: each attempt's Job has its own name.

#include <chrono>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

/// events.k8s.io/v1, events, Event.
const ResourceType& EventType();

/// What an event is about.
struct ObjectReference {
  std::string api_version;
  std::string kind;
  ObjectKey key;
  Uid uid;
  auto operator<=>(const ObjectReference&) const = default;
};

enum class EventLevel { kNormal, kWarning };

struct Event {
  ObjectReference regarding;
  std::optional<ObjectReference> related;
  EventLevel level = EventLevel::kNormal;
  std::string reason;  ///< UpperCamel, at most 128 bytes
  std::string action;  ///< what was being done, UpperCamel, at most 128 bytes
  std::string note;    ///< a sentence; cut to 1024 bytes
};

/// Who reports.
struct EventSource {
  std::string controller;  ///< "torchsoak.dev/controller"
  std::string instance;    ///< the pod's name
};

/// One call: a create of `body`, or a merge patch of `key` with it.
struct EventCall {
  enum class Kind { kCreate, kPatch };
  Kind kind = Kind::kCreate;
  ObjectKey key;
  Json body;
  Json whole;  ///< for kPatch: the complete Event, to create when it is not there any more
};

class EventSeries {
 public:
  static constexpr std::chrono::minutes kRefreshEvery{30};
  static constexpr std::chrono::minutes kFinishAfter{6};
  static constexpr std::size_t kMaxSeries = 1000;  ///< the longest silent one is finished first

  explicit EventSeries(EventSource source) : source_(std::move(source)) {}

  /// An event happened: the calls it needs now (none, one, or two when another series had to make
  /// room).
  std::vector<EventCall> Add(const Event& event, WallTime wall, BootTime now);

  /// Time has passed: refreshes and finishes. Call about every minute.
  std::vector<EventCall> Tick(BootTime now);

  /// Shutdown: what the counts of all series still need.
  std::vector<EventCall> Flush(BootTime now);

  std::size_t Size() const { return series_.size(); }

 private:
  struct Key {
    ObjectReference regarding;
    std::optional<ObjectReference> related;
    EventLevel level;
    std::string reason;
    std::string action;
    std::string note;
    auto operator<=>(const Key&) const = default;
  };
  struct Series {
    ObjectKey name;
    Json object;  ///< as created, without series
    int count = 1;
    int sent = 1;  ///< count that the server has been told
    WallTime last_wall;
    BootTime last_seen;
    BootTime last_sent;
  };

  Json Body(const Event& event, const ObjectKey& name, WallTime wall) const;
  EventCall Create(const Event& event, Key key, WallTime wall, BootTime now);
  static EventCall Patch(Series& series, BootTime now);
  void MakeRoom(BootTime now, std::vector<EventCall>& calls);

  const EventSource source_;
  std::map<Key, Series> series_;
  unsigned created_ = 0;  ///< makes names unique within one microsecond
};

}  // namespace torchsoak::k8s
