#pragma once
// The twins themselves, one function for each CEL rule. Private to rules_table.cc, which says what
// rule each is for; each holds exactly when its rule is true.

#include <algorithm>
#include <array>
#include <string_view>

#include "common/contract/models.h"
#include "common/contract/modes.h"
#include "common/spec/rules.h"

namespace torchsoak::spec::twins {

/// True when good(key, value) is, for each member of a map.
template <typename Good>
bool AllKeys(const Json& map, Good good) {
  for (const auto& [key, value] : map.items()) {
    if (!good(key, value)) return false;
  }
  return true;
}

/// The mode's member is there exactly when spec.mode says so.
template <contract::Mode kMode>
bool MemberFits(const RuleInput& in) {
  const contract::ModeInfo& info = contract::InfoOf(kMode);
  return in.self.contains(info.member) == (GetString(in.self, {"mode"}) == info.name);
}

/// The built-in model that `in.self` names; left out: the MLP.
contract::ModelKind BuiltinOf(const RuleInput& in);

// Members of a model's params that go together.
inline constexpr std::array kMlpSizes{std::string_view("inputs"), std::string_view("outputs")};
inline constexpr std::array kLayerSizes{std::string_view("hidden"), std::string_view("layers"),
                                        std::string_view("dropout")};
inline constexpr std::array kConvolutionSizes{
    std::string_view("channels"), std::string_view("kernel"), std::string_view("stride")};
inline constexpr std::array kImageSizes{std::string_view("imageSize")};
inline constexpr std::array kClassSizes{std::string_view("classes")};
inline constexpr std::array kTokenSizes{std::string_view("heads"), std::string_view("sequence"),
                                        std::string_view("vocabulary")};
inline constexpr std::array kTableSizes{std::string_view("dense"), std::string_view("tables"),
                                        std::string_view("rows"), std::string_view("embedding")};

/// None of these is there, or the model has them.
template <const auto& kSizes>
bool SizesFit(const RuleInput& in) {
  const Json* params = Find(in.self, {"params"});
  const contract::ModelKind model = BuiltinOf(in);
  return params == nullptr || std::all_of(kSizes.begin(), kSizes.end(), [&](std::string_view name) {
           return !params->contains(name) || contract::HasSize(model, name);
         });
}

// At the root and at spec.
bool NameIsLabel(const RuleInput& in);
bool FinishedStaysFinished(const RuleInput& in);
bool EndIsSaid(const RuleInput& in);
bool PreflightHasNoTimes(const RuleInput& in);
bool MetricsFitMode(const RuleInput& in);
bool Tf32HasGpu(const RuleInput& in);
bool MemorySizeIsKnown(const RuleInput& in);
bool GpuNotInExtended(const RuleInput& in);
bool RunTimeoutIsEnough(const RuleInput& in);
bool TotalHoldsRun(const RuleInput& in);
bool TotalTimeoutIsEnough(const RuleInput& in);
bool SameMembers(const RuleInput& in);
bool AbortStays(const RuleInput& in);
bool Unchanged(const RuleInput& in);

// Below spec.
bool AmpHasPrecision(const RuleInput& in);
bool AccumulationFits(const RuleInput& in);
bool RateInRange(const RuleInput& in);
bool OneModel(const RuleInput& in);
bool HeadsDivide(const RuleInput& in);
bool NoPickle(const RuleInput& in);
bool BelowIsForWholeNumbers(const RuleInput& in);
bool CanBeTrained(const RuleInput& in);
bool ClassesAreKnown(const RuleInput& in);
bool KernelFits(const RuleInput& in);
bool TargetHasMember(const RuleInput& in);
bool DurationInRange(const RuleInput& in);
bool QuantityInRange(const RuleInput& in);
bool MemorySizeInRange(const RuleInput& in);
bool HugepagesHaveCompany(const RuleInput& in);
bool ExtendedNames(const RuleInput& in);
bool ExtendedWhole(const RuleInput& in);

// spec.benchmark: at spec, at the member, below it.
bool BackendHasGpu(const RuleInput& in);
bool BenchmarkEndsByTimer(const RuleInput& in);
bool TimerFitsTimeouts(const RuleInput& in);
bool GradModeFits(const RuleInput& in);
bool MeasuredCanBeTrained(const RuleInput& in);
bool MeasuredClassesAreKnown(const RuleInput& in);
bool Tf32IsFp32(const RuleInput& in);
bool NumberFits(const RuleInput& in);
bool MinRunTimeFits(const RuleInput& in);
bool AdaptiveMembersFit(const RuleInput& in);
bool RunTimesFit(const RuleInput& in);
bool AtMostAnHour(const RuleInput& in);
bool ShareInRange(const RuleInput& in);

// Below spec.pod.
bool SecretName(const RuleInput& in);
bool LabelKeys(const RuleInput& in);
bool LabelsAreFree(const RuleInput& in);
bool EnvIsFree(const RuleInput& in);
bool OneVolumeSource(const RuleInput& in);
bool VolumeNameIsFree(const RuleInput& in);
bool MountsHaveVolumes(const RuleInput& in);
bool MountIsFree(const RuleInput& in);

// Thresholds.
bool HasBound(const RuleInput& in);
bool MinBelowMax(const RuleInput& in);
bool TimeBound(const RuleInput& in);
bool MemoryBound(const RuleInput& in);
bool RateBound(const RuleInput& in);
bool ComputingBound(const RuleInput& in);
bool BandwidthBound(const RuleInput& in);
bool ErrorRateBound(const RuleInput& in);
bool LossBound(const RuleInput& in);
bool StatisticFits(const RuleInput& in);

}  // namespace torchsoak::spec::twins
