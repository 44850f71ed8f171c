#pragma once
// How the controller watches its three kinds, and which test a change belongs to.

#include <functional>
#include <string>
#include <vector>

#include "operator/k8s/cache/informer.h"
#include "operator/runtime/metrics.h"

namespace torchsoak::app {

/// Options of the three informers. `namespaces` empty: all. Restarts are counted and logged.
k8s::InformerOptions TestsToWatch(const std::vector<std::string>& namespaces,
                                  runtime::Metrics& metrics);
k8s::InformerOptions JobsToWatch(const std::vector<std::string>& namespaces,
                                 runtime::Metrics& metrics);
k8s::InformerOptions PodsToWatch(const std::vector<std::string>& namespaces,
                                 runtime::Metrics& metrics);

/// Calls `enqueue` with the key of each test that a change may concern: the test itself, or the
/// one that a Job or pod names in its labels (a hint: the reconcile checks UIDs).
void EnqueueTests(k8s::Informer& tests, std::function<void(const k8s::ObjectKey&)> enqueue);
void EnqueueOwners(k8s::Informer& children, std::function<void(const k8s::ObjectKey&)> enqueue);

}  // namespace torchsoak::app
