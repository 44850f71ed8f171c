#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "common/base/duration.h"
#include "common/base/quantity.h"
#include "common/spec/twins.h"

namespace torchsoak::spec::twins {
namespace {

bool Has(const Json& json, std::string_view key) { return Find(json, {key}) != nullptr; }

bool HasAny(const Json& json, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return Has(json, key); });
}

std::string Mode(const Json& spec) { return GetString(spec, {"mode"}); }

/// All keys of a map satisfy `good`.
template <typename Good>
bool AllKeys(const Json& map, Good good) {
  for (const auto& [key, value] : map.items()) {
    if (!good(key, value)) return false;
  }
  return true;
}

/// CEL's equality on what the schema describes: lists of type set and map have no order.
bool Equal(const Json& schema, const Json& a, const Json& b);

bool EqualObjects(const Json& schema, const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.items()) {
    const auto other = b.find(key);
    if (other == b.end()) return false;
    const Json* property = Find(schema, {"properties", key});
    if (!Equal(property == nullptr ? Json() : *property, value, *other)) return false;
  }
  return true;
}

bool EqualLists(const Json& schema, const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  const Json* found = Find(schema, {"items"});
  const Json items = found == nullptr ? Json() : *found;
  const std::string type = GetString(schema, {"x-kubernetes-list-type"});
  if (type != "set" && type != "map") {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [&](const Json& x, const Json& y) { return Equal(items, x, y); });
  }
  return std::all_of(a.begin(), a.end(), [&](const Json& x) {
    return std::any_of(b.begin(), b.end(), [&](const Json& y) { return Equal(items, x, y); });
  });
}

bool Equal(const Json& schema, const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) return EqualObjects(schema, a, b);
  if (a.is_array() && b.is_array()) return EqualLists(schema, a, b);
  return a == b;
}

}  // namespace

bool NameIsLabel(const RuleInput& in) {
  static const RE2 label("^[a-z]([-a-z0-9]*[a-z0-9])?$");
  const std::string name = GetString(in.self, {"metadata", "name"});
  return RE2::PartialMatch(name, label) && name.size() <= 40;
}

bool FinishedStaysFinished(const RuleInput& in) {
  if (GetString(in.old, {"status", "phase"}) != "Finished") return true;
  const Json* verdict = Find(in.self, {"status", "verdict"});
  const Json* before = Find(in.old, {"status", "verdict"});
  return GetString(in.self, {"status", "phase"}) == "Finished" && verdict != nullptr &&
         before != nullptr && *verdict == *before;
}

bool TrainingFitsMode(const RuleInput& in) {
  return Has(in.self, "training") == (Mode(in.self) == "Training");
}

bool InferenceFitsMode(const RuleInput& in) {
  return Has(in.self, "inference") == (Mode(in.self) == "Inference");
}

bool PreflightFitsMode(const RuleInput& in) {
  return Has(in.self, "preflight") == (Mode(in.self) == "Preflight");
}

bool InferenceHasEnd(const RuleInput& in) {
  return Mode(in.self) != "Inference" || HasAny(in.self, {"duration", "maxIterations"});
}

bool PreflightHasNoTimes(const RuleInput& in) {
  return Mode(in.self) != "Preflight" || !HasAny(in.self, {"duration", "maxIterations", "warmup"});
}

bool MetricsFitMode(const RuleInput& in) {
  const Json* thresholds = Find(in.self, {"thresholds"});
  if (thresholds == nullptr) return true;
  const std::string mode = Mode(in.self);
  const std::string own = mode == "Training" ? "training." : "inference.";
  return std::all_of(thresholds->begin(), thresholds->end(), [&](const Json& threshold) {
    const std::string metric = GetString(threshold, {"metric"});
    const bool common = metric.starts_with("memory.") || metric.starts_with("process.");
    return mode != "Preflight" && (common || metric.starts_with(own));
  });
}

bool GpuNotInExtended(const RuleInput& in) {
  const Json* extended = Find(in.self, {"resources", "extended"});
  return extended == nullptr || !Has(*extended, GetString(in.self, {"gpu", "resourceName"}));
}

bool SameMembers(const RuleInput& in) {
  static constexpr std::array<std::string_view, 10> kMembers = {
      "training", "inference",  "preflight", "duration", "maxIterations",
      "warmup",   "thresholds", "resources", "pod",      "image"};
  return std::all_of(kMembers.begin(), kMembers.end(),
                     [&](std::string_view key) { return Has(in.self, key) == Has(in.old, key); });
}

bool AbortStays(const RuleInput& in) {
  return !GetBool(in.old, {"abort"}) || GetBool(in.self, {"abort"});
}

bool Unchanged(const RuleInput& in) { return Equal(in.schema, in.self, in.old); }

bool AmpHasPrecision(const RuleInput& in) {
  return !GetBool(in.self, {"amp"}) || GetString(in.self, {"precision"}) != "FP32";
}

bool AccumulationFits(const RuleInput& in) {
  return in.self.at("accumulationSteps") <= in.self.at("samplesPerEpoch");
}

bool MlpParams(const RuleInput& in) {
  const Json* params = Find(in.self, {"params"});
  return params == nullptr || GetString(in.self, {"builtin"}) == "MLP" ||
         !HasAny(*params, {"inputs", "hidden", "layers", "outputs", "dropout"});
}

bool ConvNetParams(const RuleInput& in) {
  const Json* params = Find(in.self, {"params"});
  return params == nullptr || GetString(in.self, {"builtin"}) == "ConvNet" ||
         !HasAny(*params, {"channels", "kernel", "stride", "imageSize", "classes"});
}

bool KernelFits(const RuleInput& in) {
  const Json* kernel = Find(in.self, {"params", "kernel"});
  const Json* size = Find(in.self, {"params", "imageSize"});
  return kernel == nullptr || size == nullptr || *kernel <= *size;
}

bool TargetHasMember(const RuleInput& in) {
  return Has(in.self, "inProcess") == (GetString(in.self, {"target"}) == "InProcess");
}

bool DurationInRange(const RuleInput& in) {
  return ParseDuration(in.self.get_ref<const std::string&>()).has_value();
}

bool QuantityAboveZero(const RuleInput& in) {
  const auto amount = ParseQuantity(in.self.get_ref<const std::string&>());
  return amount.has_value() || amount.error().code == ErrorCode::kTooLarge;
}

bool ExtendedNames(const RuleInput& in) {
  static const RE2 name(
      "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$");
  return AllKeys(in.self, [](const std::string& key, const Json& /*amount*/) {
    return key.size() <= 253 && (key.starts_with("hugepages-") || RE2::PartialMatch(key, name));
  });
}

bool ExtendedWhole(const RuleInput& in) {
  static const RE2 whole("^[1-9][0-9]*$");
  return AllKeys(in.self, [](const std::string& key, const Json& amount) {
    return key.starts_with("hugepages-") ||
           RE2::PartialMatch(amount.get_ref<const std::string&>(), whole);
  });
}

bool SecretName(const RuleInput& in) {
  return in.self.get_ref<const std::string&>().starts_with("torchsoak-");
}

bool LabelsAreFree(const RuleInput& in) {
  return AllKeys(in.self, [](const std::string& key, const Json& /*value*/) {
    return !key.starts_with("torchsoak.dev/") && !key.starts_with("app.kubernetes.io/") &&
           !key.starts_with("batch.kubernetes.io/");
  });
}

bool EnvIsFree(const RuleInput& in) {
  return !in.self.get_ref<const std::string&>().starts_with("TORCHSOAK_");
}

bool OneVolumeSource(const RuleInput& in) {
  return int{Has(in.self, "configMap")} + int{Has(in.self, "persistentVolumeClaim")} +
             int{Has(in.self, "emptyDir")} ==
         1;
}

bool VolumeNameIsFree(const RuleInput& in) { return !SecretName(in); }

bool MountIsFree(const RuleInput& in) {
  const auto& path = in.self.get_ref<const std::string&>();
  return path != "/dev/shm" && path != "/tmp" && !path.starts_with("/dev/termination-log");
}

}  // namespace torchsoak::spec::twins
