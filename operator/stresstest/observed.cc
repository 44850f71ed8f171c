#include "operator/stresstest/observed.h"

#include <algorithm>
#include <initializer_list>

#include "common/contract/names.h"
#include "operator/k8s/meta.h"

namespace torchsoak::stresstest {
namespace {

std::optional<WallTime> TimeAt(const Json& json, std::initializer_list<std::string_view> path) {
  return k8s::ParseTime(GetString(json, path));
}

const Json* ConditionAt(const Json& object, std::string_view type) {
  const Json* conditions = Find(object, {"status", "conditions"});
  return conditions == nullptr ? nullptr : k8s::FindCondition(*conditions, type);
}

bool IsTrue(const Json* condition) {
  return condition != nullptr && GetString(*condition, {"status"}) == "True";
}

ContainerView ReadState(const Json& state) {
  ContainerView view;
  if (const Json* terminated = Find(state, {"terminated"})) {
    view.kind = ContainerView::Kind::kTerminated;
    view.reason = GetString(*terminated, {"reason"});
    view.message = GetString(*terminated, {"message"});
    view.exit_code = GetInt(*terminated, {"exitCode"}).value_or(-1);
    view.started = TimeAt(*terminated, {"startedAt"});
    view.finished = TimeAt(*terminated, {"finishedAt"});
  } else if (const Json* running = Find(state, {"running"})) {
    view.kind = ContainerView::Kind::kRunning;
    view.started = TimeAt(*running, {"startedAt"});
  } else if (const Json* waiting = Find(state, {"waiting"})) {
    view.kind = ContainerView::Kind::kWaiting;
    view.reason = GetString(*waiting, {"reason"});
    view.message = GetString(*waiting, {"message"});
  }
  return view;
}

void ReadRunner(const Json& object, PodView& pod) {
  const Json* containers = Find(object, {"status", "containerStatuses"});
  if (containers == nullptr || !containers->is_array()) return;
  for (const Json& container : *containers) {
    if (GetString(container, {"name"}) != contract::kContainer) continue;
    if (const Json* state = Find(container, {"state"})) pod.runner = ReadState(*state);
    pod.image = GetString(container, {"image"});
    pod.image_id = GetString(container, {"imageID"});
  }
}

void ReadPodConditions(const Json& object, PodView& pod) {
  if (const Json* scheduled = ConditionAt(object, "PodScheduled")) {
    pod.scheduled = GetString(*scheduled, {"status"});
    pod.scheduled_reason = GetString(*scheduled, {"reason"});
    pod.scheduled_message = GetString(*scheduled, {"message"});
    pod.scheduled_at = TimeAt(*scheduled, {"lastTransitionTime"});
  }
  if (const Json* disrupted = ConditionAt(object, "DisruptionTarget"); IsTrue(disrupted)) {
    pod.disruption = GetString(*disrupted, {"reason"}, "DisruptionTarget");
    pod.disruption_message = GetString(*disrupted, {"message"});
  }
}

/// Copies the members that are there.
void Keep(const Json& from, Json& to, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto it = from.find(key); it != from.end()) to[key] = *it;
  }
}

Json TrimMetadata(const Json& object) {
  Json metadata = Json::object();
  if (const Json* from = Find(object, {"metadata"})) {
    Keep(*from, metadata,
         {"name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
          "deletionTimestamp", "finalizers", "labels", "ownerReferences"});
    if (const Json* revision = Find(*from, {"annotations", contract::kAnnotationRevision})) {
      metadata["annotations"] = {{std::string(contract::kAnnotationRevision), *revision}};
    }
  }
  return metadata;
}

}  // namespace

bool PodView::Over() const {
  if (gone || phase == "Succeeded" || phase == "Failed") return true;
  return runner.kind == ContainerView::Kind::kTerminated;
}

bool IsJobOf(const Json& job, const TestView& test) {
  if (const auto owner = k8s::ControllerOf(job)) return owner->uid == test.uid;
  const RunStatus* run = test.status.CurrentRun();
  return GetString(job, {"metadata", "labels", contract::kLabelUid}) == test.uid ||
         (run != nullptr && run->job_uid == k8s::UidOf(job));
}

bool IsOfDeletedNamesake(const Json& object, const TestView& test) {
  const auto owner = k8s::ControllerOf(object);
  return owner && owner->kind == contract::kKind && owner->name == test.key.name &&
         owner->uid != test.uid;
}

TestView ReadTest(const Json& object) {
  TestView test;
  test.key = k8s::KeyOf(object);
  test.uid = k8s::UidOf(object);
  test.version = k8s::VersionOf(object);
  test.generation = GetInt(object, {"metadata", "generation"}).value_or(0);
  test.deleting = Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  if (const Json* finalizers = Find(object, {"metadata", "finalizers"})) {
    test.orphaning =
        std::find(finalizers->begin(), finalizers->end(), "orphan") != finalizers->end();
  }
  test.created = TimeAt(object, {"metadata", "creationTimestamp"}).value_or(WallTime{});
  test.source_revision =
      GetString(object, {"metadata", "annotations", contract::kAnnotationRevision});
  if (const Json* spec = Find(object, {"spec"})) test.spec = *spec;
  if (const Json* status = Find(object, {"status"})) test.status = StatusFromJson(*status);
  return test;
}

JobView ReadJob(const Json& object) {
  JobView job;
  job.name = GetString(object, {"metadata", "name"});
  job.uid = k8s::UidOf(object);
  job.suspended = GetBool(object, {"spec", "suspend"});
  job.deleting = Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  job.created = TimeAt(object, {"metadata", "creationTimestamp"}).value_or(WallTime{});
  job.orphan = !k8s::ControllerOf(object);
  job.complete = IsTrue(ConditionAt(object, "Complete"));
  if (const Json* failed = ConditionAt(object, "Failed"); IsTrue(failed)) {
    job.failed = true;
    job.message = GetString(*failed, {"message"});
  }
  return job;
}

PodView ReadPod(const Json& object, bool gone) {
  PodView pod;
  pod.name = GetString(object, {"metadata", "name"});
  pod.uid = k8s::UidOf(object);
  if (const auto owner = k8s::ControllerOf(object)) pod.job_uid = owner->uid;
  pod.node = GetString(object, {"spec", "nodeName"});
  pod.phase = GetString(object, {"status", "phase"});
  pod.reason = GetString(object, {"status", "reason"});
  pod.message = GetString(object, {"status", "message"});
  pod.deleting = TimeAt(object, {"metadata", "deletionTimestamp"});
  pod.gone = gone;
  ReadPodConditions(object, pod);
  ReadRunner(object, pod);
  return pod;
}

Json TrimTest(Json&& object) {
  Json kept{{"metadata", TrimMetadata(object)}};
  Keep(object, kept, {"spec", "status"});
  return kept;
}

Json TrimJob(Json&& object) {
  Json kept{{"metadata", TrimMetadata(object)}};
  if (const Json* suspend = Find(object, {"spec", "suspend"})) kept["spec"]["suspend"] = *suspend;
  if (const Json* conditions = Find(object, {"status", "conditions"})) {
    kept["status"]["conditions"] = *conditions;
  }
  return kept;
}

Json TrimPod(Json&& object) {
  Json kept{{"metadata", TrimMetadata(object)}};
  if (const Json* node = Find(object, {"spec", "nodeName"})) kept["spec"]["nodeName"] = *node;
  if (const Json* status = Find(object, {"status"})) {
    Keep(*status, kept["status"],
         {"phase", "reason", "message", "conditions", "containerStatuses"});
  }
  return kept;
}

}  // namespace torchsoak::stresstest
