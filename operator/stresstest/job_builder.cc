#include "operator/stresstest/job_builder.h"

#include <algorithm>

#include "common/base/quantity.h"
#include "common/contract/names.h"
#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {
namespace {

using contract::Spec;

constexpr std::int64_t kMebi = 1 << 20;

Json FromField(std::string_view name, const char* path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

Json Environment(const Spec& spec, const std::string& run, const std::string& image) {
  Json env = Json::array();
  if (const Json* user = Find(spec.pod, {"env"})) env = *user;
  env.push_back({{"name", contract::kEnvRun}, {"value", run}});
  env.push_back({{"name", contract::kEnvImage}, {"value", image}});
  env.push_back(FromField(contract::kEnvPod, "metadata.name"));
  env.push_back(FromField(contract::kEnvPodUid, "metadata.uid"));
  env.push_back(FromField(contract::kEnvNode, "spec.nodeName"));
  if (spec.gpu.per_pod == 0) {
    // Under the nvidia runtime a pod without a GPU request would otherwise see every GPU.
    env.push_back({{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "void"}});
  }
  return env;
}

/// Requests equal limits: what is measured must not depend on neighbours.
Json Resources(const Spec& spec) {
  Json limits = Json::object();
  if (!spec.cpu.empty()) limits["cpu"] = spec.cpu;
  if (!spec.memory.empty()) limits["memory"] = spec.memory;
  for (const auto& [name, amount] : spec.extended) limits[name] = amount;
  if (spec.gpu.per_pod > 0) limits[spec.gpu.resource_name] = std::to_string(spec.gpu.per_pod);
  if (limits.empty()) return Json::object();
  return {{"limits", limits}, {"requests", limits}};
}

Json Volumes(const Spec& spec) {
  Json volumes = Json::array();
  if (const Json* user = Find(spec.pod, {"volumes"})) volumes = *user;
  volumes.push_back({{"name", "torchsoak-shm"},
                     {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", ShmSize(spec)}}}});
  volumes.push_back({{"name", "torchsoak-tmp"}, {"emptyDir", Json::object()}});
  return volumes;
}

Json VolumeMounts(const Spec& spec) {
  Json mounts = Json::array();
  if (const Json* user = Find(spec.pod, {"volumeMounts"})) mounts = *user;
  mounts.push_back({{"name", "torchsoak-shm"}, {"mountPath", "/dev/shm"}});
  mounts.push_back({{"name", "torchsoak-tmp"}, {"mountPath", "/tmp"}});
  return mounts;
}

Json Container(const Spec& spec, const std::string& run, const std::string& image) {
  Json container{{"name", contract::kContainer},
                 {"image", image},
                 {"args", Json::array({"pod"})},
                 {"env", Environment(spec, run, image)},
                 {"volumeMounts", VolumeMounts(spec)},
                 {"terminationMessagePath", contract::kTerminationLog},
                 // A runner that dies without a word leaves the tail of its log instead.
                 {"terminationMessagePolicy", "FallbackToLogsOnError"},
                 {"securityContext",
                  {{"allowPrivilegeEscalation", false},
                   {"readOnlyRootFilesystem", true},
                   {"capabilities", {{"drop", Json::array({"ALL"})}}}}}};
  if (Json resources = Resources(spec); !resources.empty()) container["resources"] = resources;
  return container;
}

Json Tolerations(const Spec& spec) {
  Json tolerations = Json::array();
  if (const Json* user = Find(spec.pod, {"tolerations"})) tolerations = *user;
  if (spec.gpu.per_pod > 0) {  // the usual taint of GPU nodes
    tolerations.push_back(
        {{"key", spec.gpu.resource_name}, {"operator", "Exists"}, {"effect", "NoSchedule"}});
  }
  return tolerations;
}

Json PodSpec(const Spec& spec, const std::string& run, const std::string& image) {
  Json pod{{"restartPolicy", "Never"},
           {"automountServiceAccountToken", false},
           {"enableServiceLinks", false},
           {"terminationGracePeriodSeconds", contract::kGraceSeconds},
           {"securityContext",
            {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
           {"containers", Json::array({Container(spec, run, image)})},
           {"volumes", Volumes(spec)}};
  if (Json tolerations = Tolerations(spec); !tolerations.empty()) pod["tolerations"] = tolerations;
  for (const char* key : {"nodeSelector", "affinity", "runtimeClassName", "priorityClassName",
                          "schedulerName", "imagePullSecrets"}) {
    if (const Json* value = Find(spec.pod, {key})) pod[key] = *value;
  }
  return pod;
}

Json Labels(const TestView& test, std::int64_t attempt) {
  return {{contract::kLabelName, contract::kRunnerName},
          {contract::kLabelManagedBy, contract::kManagedBy},
          {contract::kLabelTest, test.key.name},
          {contract::kLabelUid, test.uid},
          {contract::kLabelRun, "0"},
          {contract::kLabelAttempt, std::to_string(attempt)}};
}

Json PodMetadata(const Spec& spec, const Json& labels) {
  Json metadata{{"labels", labels}};
  if (const Json* user = Find(spec.pod, {"labels"})) {
    for (const auto& [key, value] : user->items()) metadata["labels"].emplace(key, value);
  }
  if (const Json* user = Find(spec.pod, {"annotations"})) metadata["annotations"] = *user;
  return metadata;
}

/// Any failure of the pod ends the Job: the operator alone decides about another attempt.
Json PodFailurePolicy() {
  const Json disrupted{{"type", "DisruptionTarget"}, {"status", "True"}};
  const Json any_failure{
      {"containerName", contract::kContainer}, {"operator", "NotIn"}, {"values", Json::array({0})}};
  return {{"rules",
           Json::array({Json{{"action", "FailJob"}, {"onPodConditions", Json::array({disrupted})}},
                        Json{{"action", "FailJob"}, {"onExitCodes", any_failure}}})}};
}

}  // namespace

std::string ShmSize(const Spec& spec) {
  if (const std::string size = GetString(spec.pod, {"shmSize"}); !size.empty()) return size;
  const auto memory = ParseQuantity(spec.memory);
  if (!memory) return "64Mi";
  const std::int64_t half = std::max<std::int64_t>(*memory / 2 / kMebi, 1);
  return std::to_string(std::min<std::int64_t>(half, 8 * 1024)) + "Mi";
}

Expected<Json> BuildJob(const TestView& test, const Spec& spec, std::int64_t attempt,
                        const std::string& image) {
  contract::RunSpec run;
  run.ns = test.key.ns;
  run.test = test.key.name;
  run.uid = test.uid;
  run.attempt = attempt;
  run.source_revision = test.source_revision;
  run.spec = test.spec;
  const auto encoded = contract::EncodeRunSpec(run);
  if (!encoded) return tl::unexpected<Error>(encoded.error());

  const Json labels = Labels(test, attempt);
  return Json{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata",
       {{"name", JobName(test.key.name, 0, attempt)},
        {"namespace", test.key.ns},
        {"labels", labels},
        {"ownerReferences", OwnedBy(test.key.name, test.uid)}}},
      {"spec",
       {{"completions", 1},
        {"parallelism", 1},
        {"backoffLimit", 0},
        {"podReplacementPolicy", "Failed"},
        {"podFailurePolicy", PodFailurePolicy()},
        {"template",
         {{"metadata", PodMetadata(spec, labels)}, {"spec", PodSpec(spec, *encoded, image)}}}}}};
}

}  // namespace torchsoak::stresstest
