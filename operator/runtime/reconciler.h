#pragma once
// What the domain gives to the controller: one function that brings one object on its way.

#include <chrono>
#include <optional>
#include <stop_token>

#include "common/base/error.h"
#include "operator/k8s/resource.h"

namespace torchsoak::runtime {

/// What to do with the key afterwards. An Error instead means: again, with back-off.
struct ReconcileResult {
  std::optional<std::chrono::milliseconds> requeue_after;  ///< look again then, event or not
};

/// Called by several workers at once, never twice at once for one key. `stop` is requested at
/// shutdown and when the per-reconcile deadline (30 s) has passed.
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Expected<ReconcileResult> Reconcile(const k8s::ObjectKey& key, std::stop_token stop) = 0;
};

}  // namespace torchsoak::runtime
