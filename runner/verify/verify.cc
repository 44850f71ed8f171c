#include "runner/verify/verify.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "common/contract/gates.h"
#include "common/contract/spec.h"
#include "runner/measure/streams.h"
#include "runner/report/conclusion.h"
#include "runner/report/leaks.h"
#include "runner/report/mode_gates.h"
#include "runner/report/report_document.h"
#include "runner/report/steadiness.h"
#include "runner/verify/blocks.h"
#include "runner/verify/evidence.h"
#include "runner/verify/numbers.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::Outcome;
using contract::Reason;
using contract::Spec;
using contract::Verdict;

std::string Name(GateResult result) { return std::string(contract::ToString(result)); }

std::string Name(const Outcome& outcome) {
  return std::string(contract::ToString(outcome.verdict)) + "/" +
         std::string(contract::ToString(outcome.reason));
}

/// One report under examination.
class Examination {
 public:
  Examination(const Json& report, const Spec& spec, Verification& verification)
      : report_(report),
        spec_(spec),
        gates_(GatesOf(report)),
        whole_(Find(report, {"detailLeftOut"}) == nullptr),
        verification_(verification) {}

  void Make() {
    CheckSeal();
    verification_.numbers = CheckNumbers(report_, spec_.mode, verification_.problems);
    CheckThresholds();
    CheckCanaries();
    CheckLosses();
    CheckResults();
    CheckTiming();
    if (whole_) {
      CheckGrowth();
      CheckDrift();
    }
    CheckOutcome();
  }

 private:
  void Problem(std::string sentence) { verification_.problems.push_back(std::move(sentence)); }

  void CheckSeal() {
    if (GetString(report_, {"seal"}) == SealOf(report_)) return;
    Problem("the document was changed after it was written: its seal does not fit");
  }

  /// The gate of that name must stand there with this result.
  void Expect(const std::string& name, GateResult expected) {
    ++verification_.gates;
    const auto gate = std::ranges::find(gates_, name, &Gate::name);
    if (gate == gates_.end()) return Problem("gate " + name + " is missing");
    if (gate->result == expected) return;
    Problem("gate " + name + " is given as " + Name(gate->result) + ", but the evidence gives " +
            Name(expected));
  }

  bool Has(const std::string& name) const {
    return std::ranges::find(gates_, name, &Gate::name) != gates_.end();
  }

  void CheckThresholds() {
    if (!Measured()) return;
    const auto metrics = MetricsOf(report_);
    for (const contract::Threshold& threshold : spec_.thresholds) {
      const GateResult result = contract::EvaluateThreshold(threshold, metrics).result;
      // A bound on a loss is left open when the run was stopped.
      const bool open = Partial() && threshold.metric.ends_with(".loss");
      Expect(threshold.name,
             open && result == GateResult::kFailed ? GateResult::kNotEvaluated : result);
    }
  }

  void CheckCanaries() {
    const Json& canaries = ListOf(report_, "canaries");
    if (canaries.empty()) {
      if (Measured()) Problem("the run did not show its detectors a fault: no canaries");
      return;
    }
    const bool dead = std::ranges::any_of(
        canaries, [](const Json& canary) { return GetString(canary, {"state"}) == "dead"; });
    Expect("Canaries", dead ? GateResult::kFailed : GateResult::kPassed);
  }

  void CheckLosses() {
    if (!Has("FiniteLoss") || !Measured()) return;
    const bool spoilt = Find(report_, {"nonFiniteLoss"}) != nullptr;
    const auto gate = std::ranges::find(gates_, "FiniteLoss", &Gate::name);
    const bool asked = std::ranges::find(spec_.training.checks, contract::Check::kFiniteLoss) !=
                       spec_.training.checks.end();
    if (!spoilt && gate->result == GateResult::kNotEvaluated) return;
    Expect("FiniteLoss", !spoilt ? GateResult::kPassed
                         : asked ? GateResult::kFailed
                                 : GateResult::kWarned);
  }

  void CheckResults() {
    if (!ChecksResults(spec_.mode) || !Measured()) return;
    Checks checks;
    checks.results = GetInt(report_, {"checks", "results"}).value_or(0);
    checks.wrong = GetInt(report_, {"checks", "wrong"}).value_or(0);
    checks.unchecked = GetInt(report_, {"checks", "unchecked"}).value_or(1);
    checks.covered = NumberAt(report_, {"checks", "covered"}).value_or(0);
    Expect("WrongResult", WrongResultGate(checks).result);
  }

  void CheckTiming() {
    if (spec_.mode != contract::Mode::kBenchmark || !Measured()) return;
    const BlockSpread spread = CheckBlocks(report_, spec_.benchmark.timer, verification_.problems);
    Expect("Timing", TimingGate(spread).result);
  }

  void CheckGrowth() {
    if (!Has("Growth")) return;
    const auto seconds = NumberAt(report_, {"measured", "seconds"}).value_or(0);
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e9)));
    std::vector<LeakFinding> findings(1);  // the exact test, whose samples no report holds
    const Streams streams;
    for (const Streams::Stream& stream : streams.all()) {
      const auto limits = streams.LimitsOf(stream.metric, elapsed);
      if (!limits) continue;
      const auto curve = CurveOf(report_, stream.metric);
      if (!curve) return Problem("the curve of " + std::string(stream.metric) + " is missing");
      LeakFinding finding;
      finding.growth = FindGrowth(*curve, *limits);
      finding.leak.result = finding.growth->result;
      findings.push_back(std::move(finding));
    }
    Expect("Growth", LeakGates(findings).back().result);
  }

  void CheckDrift() {
    if (!Has("Drift")) return;
    const std::string_view metric = contract::InfoOf(spec_.mode).rate;
    const auto work = WorkOf(report_, metric);
    if (!work) return Problem("the curve of " + std::string(metric) + " is missing");
    Expect("Drift", DriftGate(FindDrift(*work)).result);
  }

  bool Measured() const { return Steps() > 0; }
  bool Partial() const { return GetBool(report_, {"outcome", "partial"}); }
  std::int64_t Steps() const { return GetInt(report_, {"outcome", "steps"}).value_or(0); }

  /// Verdicts that the gates give. Others come from how the run ended, which no document proves;
  /// but none of them is a Pass.
  static bool FromGates(Reason reason) {
    constexpr std::array kReasons = {Reason::kAllGatesMet,   Reason::kThresholdBreached,
                                     Reason::kLeakFound,     Reason::kWrongResult,
                                     Reason::kNonFiniteLoss, Reason::kTooFewSamples,
                                     Reason::kUnstable};
    return std::ranges::find(kReasons, reason) != kReasons.end();
  }

  void CheckOutcome() {
    const Outcome& claimed = verification_.claimed;
    if (!contract::Fits(claimed.verdict, claimed.reason)) {
      return Problem(Name(claimed) + " do not go together");
    }
    const int exit = contract::ExitCodeOf(claimed.verdict, claimed.reason);
    if (GetInt(report_, {"outcome", "exit"}) != exit) {
      Problem(Name(claimed) + " goes with exit code " + std::to_string(exit));
    }
    const bool passed = claimed.verdict == Verdict::kPassed;
    if (passed && Partial()) Problem("a run that was not finished cannot have passed");
    if (!passed && !FromGates(claimed.reason)) return;
    contract::Evidence evidence;
    evidence.steps = Steps();
    evidence.failed = GetInt(report_, {"measured", "errors"}).value_or(0);
    evidence.min_steps = LeastSteps(spec_);
    const Outcome concluded = contract::Conclude(gates_, evidence);
    if (concluded.verdict == claimed.verdict && concluded.reason == claimed.reason) return;
    Problem("the verdict is given as " + Name(claimed) + ", but the gates give " + Name(concluded));
  }

  const Json& report_;
  const Spec& spec_;
  const std::vector<Gate> gates_;
  const bool whole_;  ///< no detail was left out: the detectors can look again
  Verification& verification_;
};

}  // namespace

Expected<Verification> VerifyReport(const Json& report) {
  if (GetString(report, {"schema"}) != kReportSchema) {
    return Fail(ErrorCode::kInvalid, std::string("not a report of the schema ") + kReportSchema);
  }
  const Json* spec_json = Find(report, {"spec"});
  const auto spec = contract::ParseSpec(spec_json != nullptr ? *spec_json : Json::object());
  if (!spec) return Fail(ErrorCode::kInvalid, "the report's " + spec.error().message);
  const auto verdict = contract::ParseVerdict(GetString(report, {"outcome", "verdict"}));
  const auto reason = contract::ParseReason(GetString(report, {"outcome", "reason"}));
  if (!verdict || !reason) return Fail(ErrorCode::kInvalid, "the report has no verdict");
  Verification verification;
  verification.claimed = {*verdict, *reason, GetString(report, {"outcome", "message"})};
  Examination(report, *spec, verification).Make();
  return verification;
}

}  // namespace torchsoak::runner
