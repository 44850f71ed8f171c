#include "common/contract/verdict.h"

#include <algorithm>
#include <array>

namespace torchsoak::contract {
namespace {

struct VerdictName {
  Verdict verdict;
  std::string_view name;
};
constexpr std::array<VerdictName, 5> kVerdicts = {{{Verdict::kPassed, "Passed"},
                                                   {Verdict::kInconclusive, "Inconclusive"},
                                                   {Verdict::kError, "Error"},
                                                   {Verdict::kFailed, "Failed"},
                                                   {Verdict::kAborted, "Aborted"}}};

constexpr Verdict kPass = Verdict::kPassed;
constexpr Verdict kFail = Verdict::kFailed;
constexpr Verdict kErr = Verdict::kError;
constexpr Verdict kInc = Verdict::kInconclusive;

/// The contract's table. `other` is the second verdict of a reason whose meaning depends on whether
/// measuring had begun.
struct ReasonInfo {
  Reason reason;
  std::string_view name;
  Verdict verdict;
  Verdict other;
};
constexpr std::array<ReasonInfo, 31> kReasons = {{
    {Reason::kAllGatesMet, "AllGatesMet", kPass, kPass},
    {Reason::kThresholdBreached, "ThresholdBreached", kFail, kFail},
    {Reason::kLeakFound, "LeakFound", kFail, kFail},
    {Reason::kWrongResult, "WrongResult", kFail, kFail},
    {Reason::kNonFiniteLoss, "NonFiniteLoss", kFail, kFail},
    {Reason::kRegressionFound, "RegressionFound", kFail, kFail},
    {Reason::kPeerOutlier, "PeerOutlier", kFail, kFail},
    {Reason::kGPUFault, "GPUFault", kFail, kFail},
    {Reason::kOOMKilled, "OOMKilled", kFail, kErr},
    {Reason::kRunnerCrashed, "RunnerCrashed", kFail, kErr},
    {Reason::kStalled, "Stalled", kFail, kFail},
    {Reason::kInvalidSpec, "InvalidSpec", kErr, kErr},
    {Reason::kNameConflict, "NameConflict", kErr, kErr},
    {Reason::kDeviceCountMismatch, "DeviceCountMismatch", kErr, kErr},
    {Reason::kPreflightFailed, "PreflightFailed", kErr, kErr},
    {Reason::kImagePull, "ImagePull", kErr, kErr},
    {Reason::kStartupTimeout, "StartupTimeout", kErr, kErr},
    {Reason::kTargetNotReady, "TargetNotReady", kErr, kErr},
    {Reason::kNodesUntested, "NodesUntested", kInc, kInc},
    {Reason::kUnschedulable, "Unschedulable", kInc, kInc},
    {Reason::kPodDeleted, "PodDeleted", kInc, kInc},
    {Reason::kEvicted, "Evicted", kInc, kInc},
    {Reason::kNodeLost, "NodeLost", kInc, kInc},
    {Reason::kAdmissionError, "AdmissionError", kInc, kInc},
    {Reason::kRunTimeout, "RunTimeout", kInc, kInc},
    {Reason::kResultMissing, "ResultMissing", kInc, kInc},
    {Reason::kResultTruncated, "ResultTruncated", kInc, kInc},
    {Reason::kResultContradictory, "ResultContradictory", kInc, kInc},
    {Reason::kTooFewSamples, "TooFewSamples", kInc, kInc},
    {Reason::kUnstable, "Unstable", kInc, kInc},
    {Reason::kAborted, "Aborted", Verdict::kAborted, Verdict::kAborted},
}};

}  // namespace

std::string_view ToString(Verdict verdict) {
  const auto* it = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                [&](const VerdictName& v) { return v.verdict == verdict; });
  return it == kVerdicts.end() ? "Error" : it->name;
}

std::string_view ToString(Reason reason) {
  const auto* it = std::find_if(kReasons.begin(), kReasons.end(),
                                [&](const ReasonInfo& r) { return r.reason == reason; });
  return it == kReasons.end() ? "ResultMissing" : it->name;
}

std::optional<Verdict> ParseVerdict(std::string_view text) {
  for (const VerdictName& v : kVerdicts) {
    if (v.name == text) return v.verdict;
  }
  return std::nullopt;
}

std::optional<Reason> ParseReason(std::string_view text) {
  for (const ReasonInfo& r : kReasons) {
    if (r.name == text) return r.reason;
  }
  return std::nullopt;
}

bool Fits(Verdict verdict, Reason reason) {
  return std::any_of(kReasons.begin(), kReasons.end(), [&](const ReasonInfo& r) {
    return r.reason == reason && (r.verdict == verdict || r.other == verdict);
  });
}

ExitCode ExitCodeOf(Verdict verdict, Reason reason) {
  switch (reason) {
    case Reason::kStalled:
    case Reason::kStartupTimeout:
    case Reason::kRunTimeout:
      return kExitTimeLimit;
    case Reason::kInvalidSpec:
      return kExitUsage;
    default:
      break;
  }
  switch (verdict) {
    case Verdict::kPassed:
      return kExitPassed;
    case Verdict::kFailed:
      return kExitFailed;
    case Verdict::kError:
      return kExitError;
    case Verdict::kInconclusive:
    case Verdict::kAborted:
      break;
  }
  return kExitInconclusive;
}

}  // namespace torchsoak::contract
