#pragma once
// The twins themselves, one function for each CEL rule. Private to rules_table.cc, which says what
// rule each is for; each holds exactly when its rule is true.

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

// At the root and at spec.
bool NameIsLabel(const RuleInput& in);
bool FinishedStaysFinished(const RuleInput& in);
bool EndIsSaid(const RuleInput& in);
bool PreflightHasNoTimes(const RuleInput& in);
bool MetricsFitMode(const RuleInput& in);
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
bool MlpParams(const RuleInput& in);
bool ConvNetParams(const RuleInput& in);
bool KernelFits(const RuleInput& in);
bool TargetHasMember(const RuleInput& in);
bool DurationInRange(const RuleInput& in);
bool QuantityInRange(const RuleInput& in);
bool HugepagesHaveCompany(const RuleInput& in);
bool ExtendedNames(const RuleInput& in);
bool ExtendedWhole(const RuleInput& in);

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
bool ErrorRateBound(const RuleInput& in);
bool LossBound(const RuleInput& in);
bool StatisticFits(const RuleInput& in);

}  // namespace torchsoak::spec::twins
