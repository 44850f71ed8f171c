#include "operator/app/kinds.h"

#include <utility>

#include "common/base/log.h"
#include "common/contract/names.h"
#include "operator/k8s/meta.h"
#include "operator/stresstest/names.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::app {
namespace {

/// A pod's last words are wanted after it is gone; a reconcile comes long before this.
constexpr std::chrono::minutes kKeepDeletedPods{10};

std::string TestUidOf(const Json& child) {
  return GetString(child, {"metadata", "labels", contract::kLabelUid});
}

k8s::InformerOptions Watch(const k8s::ResourceType& type,
                           const std::vector<std::string>& namespaces, runtime::Metrics& metrics) {
  k8s::InformerOptions options;
  options.type = type;
  options.namespaces = namespaces;
  options.on_restart = [&metrics, plural = type.plural](std::string_view cause,
                                                        const std::string& detail) {
    metrics.WatchRestarted(plural, std::string(cause));
    Log(LogLevel::kDebug, "watch restarted",
        {{"resource", plural}, {"cause", cause}, {"detail", detail}});
  };
  return options;
}

k8s::InformerOptions WatchChildren(const k8s::ResourceType& type,
                                   const std::vector<std::string>& namespaces,
                                   runtime::Metrics& metrics) {
  k8s::InformerOptions options = Watch(type, namespaces, metrics);
  options.label_selector =
      std::string(contract::kLabelManagedBy) + "=" + std::string(contract::kManagedBy) + "," +
      std::string(contract::kLabelName) + "=" + std::string(contract::kRunnerName);
  options.index = TestUidOf;
  return options;
}

}  // namespace

k8s::InformerOptions TestsToWatch(const std::vector<std::string>& namespaces,
                                  runtime::Metrics& metrics) {
  k8s::InformerOptions options = Watch(stresstest::kStressTests, namespaces, metrics);
  options.trim = [](Json&& object) { return stresstest::TrimTest(std::move(object)); };
  return options;
}

k8s::InformerOptions JobsToWatch(const std::vector<std::string>& namespaces,
                                 runtime::Metrics& metrics) {
  k8s::InformerOptions options = WatchChildren(stresstest::kJobs, namespaces, metrics);
  options.trim = [](Json&& object) { return stresstest::TrimJob(std::move(object)); };
  return options;
}

k8s::InformerOptions PodsToWatch(const std::vector<std::string>& namespaces,
                                 runtime::Metrics& metrics) {
  k8s::InformerOptions options = WatchChildren(stresstest::kPods, namespaces, metrics);
  options.trim = [](Json&& object) { return stresstest::TrimPod(std::move(object)); };
  options.keep_deleted = kKeepDeletedPods;
  return options;
}

void EnqueueTests(k8s::Informer& tests, std::function<void(const k8s::ObjectKey&)> enqueue) {
  // Also after status writes of our own: such an event opens the own-write gate, and a reconcile
  // that finds nothing to change writes nothing.
  tests.OnChange(
      [enqueue = std::move(enqueue)](const k8s::Change& change) { enqueue(change.key); });
}

void EnqueueOwners(k8s::Informer& children, std::function<void(const k8s::ObjectKey&)> enqueue) {
  children.OnChange([enqueue = std::move(enqueue)](const k8s::Change& change) {
    for (const k8s::ObjectPtr& object : {change.before, change.after}) {
      if (object == nullptr) continue;
      const std::string test = GetString(*object, {"metadata", "labels", contract::kLabelTest});
      if (!test.empty()) enqueue({change.key.ns, test});
    }
  });
}

}  // namespace torchsoak::app
