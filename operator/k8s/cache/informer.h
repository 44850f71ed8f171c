#pragma once
// A watched, indexed copy of one kind: what every decision is made from.
//
// One thread per namespace runs a reflector (list, then watch) and writes here; any thread reads.
// Objects are JSON trimmed by the caller's function before they are stored (managedFields and
// last-applied are dropped first), leave as shared_ptr<const Json>, and never change.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "operator/k8s/client.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

using ObjectPtr = std::shared_ptr<const Json>;

enum class ChangeKind { kAdded, kUpdated, kDeleted };

/// One change, delivered after the store has it, one at a time, on a thread of the informer or of
/// its transport: handlers must be quick (enqueue a key) and must not throw. On kDeleted `after` is
/// null and `before` is the last state known; `final_state_known` is false when the deletion was
/// noticed by a relist (then only the key may be trusted).
struct Change {
  ChangeKind kind;
  ObjectKey key;
  ObjectPtr before;
  ObjectPtr after;
  bool final_state_known = true;
};

struct InformerOptions {
  ResourceType type;
  std::vector<std::string> namespaces;  ///< empty: all
  std::string label_selector;           ///< empty: none
  std::function<Json(Json&&)>
      trim;  ///< keeps what decisions read; identity when empty; must not throw
  std::function<std::string(const Json&)> index;  ///< value of a (trimmed) object; "" = none
  /// Deleted objects whose last state may still be wanted (a pod's termination message) are kept
  /// readable by index for this long, the newest 2000 of them. 0 = not kept.
  std::chrono::seconds keep_deleted{0};

  /// Told whenever listing or watching had to begin again: one of RestartCauses() (reflector.h)
  /// and details for a log. Same threads and rules as handlers. May be empty.
  std::function<void(std::string_view cause, const std::string& detail)> on_restart;

  /// A number in [0, 1) for jitter; thread-safe. Empty: a generator seeded from the clock.
  std::function<double()> random;
};

class Informer {
 public:
  virtual ~Informer() = default;

  /// Handlers are added before Run and called in order of adding.
  virtual void OnChange(std::function<void(const Change&)> handler) = 0;

  /// Lists and watches until `stop`, one thread per namespace named in the options. Blocks; call
  /// it on a thread of its own.
  virtual void Run(std::stop_token stop) = 0;

  /// True once the first full list has been delivered to the handlers.
  virtual bool Synced() const = 0;

  virtual ObjectPtr Get(const ObjectKey& key) const = 0;
  virtual std::vector<ObjectPtr> ByIndex(const std::string& value) const = 0;
  virtual std::vector<ObjectPtr> All() const = 0;
  virtual std::vector<ObjectPtr> DeletedByIndex(const std::string& value) const = 0;

  /// True when the copy of that namespace has reached `version` by event, bookmark or list
  /// (own-write gate).
  virtual bool Reached(const std::string& ns, const ResourceVersion& version) const = 0;

  /// Boot time of the last sign of life: event, bookmark, list or attempt to reconnect.
  virtual BootTime LastProgress() const = 0;
};

std::unique_ptr<Informer> MakeInformer(InformerOptions options, Client& client, Clock& clock);

}  // namespace torchsoak::k8s
