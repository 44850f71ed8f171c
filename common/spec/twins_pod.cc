#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "common/spec/twins.h"

namespace torchsoak::spec::twins {

bool SecretName(const RuleInput& in) {
  return in.self.get_ref<const std::string&>().starts_with("torchsoak-");
}

bool LabelKeys(const RuleInput& in) {
  static const RE2 name(
      "^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
      "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$");
  return AllKeys(in.self, [](const std::string& key, const Json& /*value*/) {
    const std::size_t slash = key.find('/');
    return (slash == std::string::npos || slash <= 253) && RE2::PartialMatch(key, name);
  });
}

bool LabelsAreFree(const RuleInput& in) {
  return AllKeys(in.self, [](const std::string& key, const Json& /*value*/) {
    return !key.starts_with("torchsoak.dev/") && !key.starts_with("app.kubernetes.io/") &&
           !key.starts_with("batch.kubernetes.io/") && key != "job-name" && key != "controller-uid";
  });
}

bool EnvIsFree(const RuleInput& in) {
  const auto& name = in.self.get_ref<const std::string&>();
  return !name.starts_with("TORCHSOAK_") && !name.ends_with("_VISIBLE_DEVICES") &&
         name != "GPU_DEVICE_ORDINAL" &&
         (!name.starts_with("NVIDIA_") || name == "NVIDIA_TF32_OVERRIDE");
}

bool OneVolumeSource(const RuleInput& in) {
  return int{in.self.contains("configMap")} + int{in.self.contains("persistentVolumeClaim")} +
             int{in.self.contains("emptyDir")} ==
         1;
}

bool VolumeNameIsFree(const RuleInput& in) { return !SecretName(in); }

bool MountsHaveVolumes(const RuleInput& in) {
  const Json* mounts = Find(in.self, {"volumeMounts"});
  const Json* volumes = Find(in.self, {"volumes"});
  if (mounts == nullptr) return true;
  return std::all_of(mounts->begin(), mounts->end(), [&](const Json& mount) {
    return volumes != nullptr && std::any_of(volumes->begin(), volumes->end(), [&](const Json& v) {
             return GetString(v, {"name"}) == GetString(mount, {"name"});
           });
  });
}

bool MountIsFree(const RuleInput& in) {
  static const RE2 reserved("^/(dev|proc|sys)/");
  const auto& path = in.self.get_ref<const std::string&>();
  return path != "/tmp" && !RE2::PartialMatch(path + "/", reserved);
}

}  // namespace torchsoak::spec::twins
