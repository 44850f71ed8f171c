#pragma once
// The decisions of list-and-watch, one input at a time: state + input → state + effects.
//
// Pure: no clock, no I/O, no threads; time and chance are handed in. The shape is kube-rs'
// `step_trampolined`, the rules are client-go's reflector.go with what its issues taught.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/k8s/resource.h"
#include "operator/k8s/watch/watch_event.h"

namespace torchsoak::k8s {

/// Why listing or watching had to begin again. Closed set: a metrics label.
enum class RestartCause {
  kEnded,        ///< the server ended the stream in order, as it does every few minutes
  kShort,        ///< in order, but at once and without an event
  kIdle,         ///< no byte for too long
  kLost,         ///< connection refused, cut, or a 5xx
  kExpired,      ///< 410 in any form: a new list
  kThrottled,    ///< 429
  kServerError,  ///< another ERROR event, or the request was refused
  kMalformed,    ///< an event could not be read: a new list
  kListFailed,
  kOlderList,  ///< a list older than what we have: discarded
};
std::string_view ToString(RestartCause cause);

/// All of them as text, to start metrics at 0.
std::vector<std::string> RestartCauses();

/// What a stream's error means for the time after it.
struct StreamVerdict {
  bool relist = false;
  RestartCause cause = RestartCause::kEnded;
  std::chrono::nanoseconds at_least{0};  ///< Retry-After
  std::string detail;
};

struct ReflectorState {
  /// Everything up to here has been delivered; "" before the first complete list. Never goes back.
  ResourceVersion version;

  // The list under way.
  std::string continue_token;
  ResourceVersion list_version;  ///< of its first page; "" = no page yet
  bool full_list = false;        ///< one page without limit, after a continue token had expired

  // The stream under way.
  BootTime stream_began{0};
  bool stream_had_event = false;
  std::optional<StreamVerdict> verdict;  ///< set: we end it ourselves

  // Back-off.
  int failures = 0;
  BootTime last_failure{0};
  std::optional<BootTime> failing_since;        ///< streams fail without a sign of life between
  std::optional<BootTime> server_errors_since;  ///< the same, by ERROR events
};

/// When a step happens, and its share of chance: a number in [0, 1).
struct Moment {
  BootTime now{0};
  double random = 0;
};

// Inputs.
struct Started {};
struct PageRead {
  ResourceVersion version;
  std::string next;  ///< continue token
};
struct ListFailed {
  Error error;
};
struct StreamOpened {};  ///< a watch request is about to be sent
struct EventRead {
  const WatchEvent& event;
};
struct EventLost {
  std::string detail;
};
struct StreamEnded {
  Status status;
};
using ReflectorInput =
    std::variant<Started, PageRead, ListFailed, StreamOpened, EventRead, EventLost, StreamEnded>;

/// What the loop has to do: first to the store, then (after `delay`) next.
struct ReflectorEffects {
  enum class Store {
    kNothing,
    kKeepPage,   ///< set the page just read aside
    kDropPages,  ///< forget the pages set aside
    kReplace,    ///< the page just read is the last: replace everything by the pages
    kUpsert,     ///< the event's object
    kErase,      ///< the event's object
    kAdvance,    ///< only the version has moved
  };
  enum class Next { kList, kWatch, kReadOn, kEndStream };

  Store store = Store::kNothing;
  Next next = Next::kReadOn;
  std::chrono::nanoseconds delay{0};
  int limit = 0;            ///< kList: 0 = no limit
  std::string token;        ///< kList
  int timeout_seconds = 0;  ///< kWatch
  std::optional<RestartCause> restart;
  std::string detail;
  bool progress = true;  ///< a sign of life for the health check
};

inline constexpr int kPageLimit = 500;
inline constexpr std::chrono::milliseconds kFirstBackoff{800};
inline constexpr std::chrono::milliseconds kLongestBackoff{30'000};
inline constexpr std::chrono::minutes kHealthyAfter{2};  ///< resets the back-off
inline constexpr std::chrono::seconds kShortStream{1};
inline constexpr std::chrono::minutes kServerErrorPatience{1};
/// etcd forgets versions after about 5 minutes, so a version that old is no use; and a version that
/// a restored server does not know would fail for ever.
inline constexpr std::chrono::minutes kLostPatience{10};

ReflectorEffects Step(ReflectorState& state, const ReflectorInput& input, const Moment& moment);

}  // namespace torchsoak::k8s
