#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "common/base/duration.h"
#include "common/base/quantity.h"
#include "common/spec/twins.h"

namespace torchsoak::spec::twins {
namespace {

using std::chrono::nanoseconds;

bool Has(const Json& json, std::string_view key) { return Find(json, {key}) != nullptr; }

bool HasAny(const Json& json, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return Has(json, key); });
}

/// 0 when it is not there; nothing for a text that is no duration, which has a rule of its own.
std::optional<nanoseconds> Time(const Json& spec, std::initializer_list<std::string_view> path) {
  const Json* text = Find(spec, path);
  if (text == nullptr) return nanoseconds(0);
  const auto time = ParseNanoseconds(text->get<std::string>());
  return time ? std::optional(*time) : std::nullopt;
}

/// The time-out is left out, or a run that ends by the clock alone fits into it.
bool Fits(const Json& spec, std::string_view timeout) {
  if (Find(spec, {"timeouts", timeout}) == nullptr || !Has(spec, "duration")) return true;
  if (Has(spec, "maxIterations") || Find(spec, {"training", "epochs"}) != nullptr) return true;
  const auto limit = Time(spec, {"timeouts", timeout});
  const auto warmup = Time(spec, {"warmup"});
  const auto measured = Time(spec, {"duration"});
  return !limit || !warmup || !measured || *limit >= *warmup + *measured;
}

std::string Mode(const Json& spec) { return GetString(spec, {"mode"}); }

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

bool EndIsSaid(const RuleInput& in) {
  const std::string mode = Mode(in.self);
  return mode == "Training" || mode == "Benchmark" || mode == "Preflight" ||
         HasAny(in.self, {"duration", "maxIterations"});
}

bool PreflightHasNoTimes(const RuleInput& in) {
  return Mode(in.self) != "Preflight" || !HasAny(in.self, {"duration", "maxIterations", "warmup"});
}

bool MetricsFitMode(const RuleInput& in) {
  const Json* thresholds = Find(in.self, {"thresholds"});
  if (thresholds == nullptr) return true;
  const std::string mode = Mode(in.self);
  std::string own = mode + '.';
  own.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(own.front())));
  return mode != "Preflight" &&
         std::all_of(thresholds->begin(), thresholds->end(), [&](const Json& threshold) {
           const std::string metric = GetString(threshold, {"metric"});
           return metric == "memory.allocated" || metric == "memory.peakAllocated" ||
                  metric.starts_with("process.") || metric.starts_with(own);
         });
}

bool Tf32HasGpu(const RuleInput& in) {
  return GetString(in.self, {"gemm", "precision"}) != "TF32" ||
         GetInt(in.self, {"gpu", "perPod"}).value_or(1) > 0;
}

bool MemorySizeIsKnown(const RuleInput& in) {
  const Json* memory = Find(in.self, {"memory"});
  return memory == nullptr || memory->contains("size") ||
         GetInt(in.self, {"gpu", "perPod"}).value_or(1) > 0;
}

bool GpuNotInExtended(const RuleInput& in) {
  static const RE2 gpu("^(nvidia[.]com/(gpu|mig-)|amd[.]com/gpu|gpu[.]intel[.]com/)");
  const Json* extended = Find(in.self, {"resources", "extended"});
  const std::string asked = GetString(in.self, {"gpu", "resourceName"});
  return extended == nullptr || AllKeys(*extended, [&](const std::string& key, const Json&) {
           return key != asked && !RE2::PartialMatch(key, gpu);
         });
}

bool RunTimeoutIsEnough(const RuleInput& in) { return Fits(in.self, "run"); }

bool TotalHoldsRun(const RuleInput& in) {
  if (Find(in.self, {"timeouts", "total"}) == nullptr) return true;
  const auto run = Time(in.self, {"timeouts", "run"});
  const auto total = Time(in.self, {"timeouts", "total"});
  return !run || !total || *total >= *run;
}

bool TotalTimeoutIsEnough(const RuleInput& in) { return Fits(in.self, "total"); }

bool SameMembers(const RuleInput& in) {
  static constexpr std::array<std::string_view, 7> kMembers = {
      "duration", "maxIterations", "warmup", "thresholds", "resources", "pod", "image"};
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

bool RateInRange(const RuleInput& in) {
  const double rate = std::strtod(in.self.get_ref<const std::string&>().c_str(), nullptr);
  return rate > 0 && rate <= 100;
}

contract::ModelKind BuiltinOf(const RuleInput& in) {
  const std::string name = GetString(in.self, {"builtin"});
  for (const auto& [word, model] : contract::AllBuiltins()) {
    if (word == name) return model;
  }
  return contract::ModelKind::kMlp;
}

bool OneModel(const RuleInput& in) {
  const int builtin = HasAny(in.self, {"builtin", "params"}) ? 1 : 0;
  return builtin + (Has(in.self, "torchScript") ? 1 : 0) + (Has(in.self, "aotInductor") ? 1 : 0) <=
         1;
}

bool NoPickle(const RuleInput& in) {
  return !in.self.get_ref<const std::string&>().ends_with(".pth");
}

bool BelowIsForWholeNumbers(const RuleInput& in) {
  return !Has(in.self, "below") || GetString(in.self, {"type"}) != "FP32";
}

bool CanBeTrained(const RuleInput& in) {
  return Find(in.self, {"model", "aotInductor"}) == nullptr;
}

bool ClassesAreKnown(const RuleInput& in) {
  return Find(in.self, {"model", "torchScript"}) == nullptr ||
         Find(in.self, {"model", "torchScript", "classes"}) != nullptr;
}

bool HeadsDivide(const RuleInput& in) {
  const Json* params = Find(in.self, {"params"});
  const contract::ModelSpec usual = contract::UsualSizes(BuiltinOf(in));
  if (params == nullptr || !contract::HasSize(usual.kind, "heads")) return true;
  return GetInt(*params, {"hidden"}).value_or(usual.hidden) %
             GetInt(*params, {"heads"}).value_or(usual.heads) ==
         0;
}

bool KernelFits(const RuleInput& in) {
  const Json* params = Find(in.self, {"params"});
  if (params == nullptr || BuiltinOf(in) != contract::ModelKind::kConvNet) return true;
  return GetInt(*params, {"kernel"}).value_or(7) <= GetInt(*params, {"imageSize"}).value_or(224);
}

bool TargetHasMember(const RuleInput& in) {
  return Has(in.self, "inProcess") == (GetString(in.self, {"target"}) == "InProcess");
}

bool DurationInRange(const RuleInput& in) {
  return ParseDuration(in.self.get_ref<const std::string&>()).has_value();
}

bool QuantityInRange(const RuleInput& in) {
  constexpr std::int64_t kPebi = std::int64_t{1} << 50U;
  return ParseQuantity(in.self.get_ref<const std::string&>()).value_or(kPebi + 1) <= kPebi;
}

bool MemorySizeInRange(const RuleInput& in) {
  const auto size = ParseQuantity(in.self.get_ref<const std::string&>());
  return size && *size >= std::int64_t{64} << 20 && *size <= std::int64_t{4} << 40;
}

bool HugepagesHaveCompany(const RuleInput& in) {
  const Json* extended = Find(in.self, {"extended"});
  return extended == nullptr || HasAny(in.self, {"cpu", "memory"}) ||
         AllKeys(*extended, [](const std::string& key, const Json& /*amount*/) {
           return !key.starts_with("hugepages-");
         });
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

}  // namespace torchsoak::spec::twins
