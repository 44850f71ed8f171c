#include "runner/report/conclusion.h"

#include <algorithm>
#include <cmath>

#include "common/base/duration.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contract/gates.h"
#include "runner/measure/completion.h"
#include "runner/report/leaks.h"
#include "runner/report/mode_gates.h"
#include "runner/report/steadiness.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::Mode;
using contract::Outcome;
using contract::Reason;
using contract::Spec;
using contract::Verdict;

constexpr std::size_t kMaxMessage = 200;

/// Thresholds' metrics first, then each metric's default statistic, then the rest: the encoder
/// sheds from the end.
std::vector<contract::MetricValue> Ordered(std::vector<contract::MetricValue> metrics,
                                           const Spec& spec) {
  const auto rank = [&](const contract::MetricValue& value) {
    for (const contract::Threshold& threshold : spec.thresholds) {
      if (threshold.metric == value.name && threshold.statistic == value.statistic) return 0;
    }
    const contract::MetricInfo* info = contract::FindMetric(value.name);
    return info != nullptr && info->statistics.front() == value.statistic ? 1 : 2;
  };
  std::ranges::stable_sort(metrics, {}, rank);
  return metrics;
}

contract::RunResult Base(const contract::RunSpec& run, const Spec& spec, const Snapshot& snapshot) {
  contract::RunResult result;
  result.core.uid = run.uid;
  result.core.run = run.run;
  result.core.attempt = run.attempt;
  result.core.measuring = snapshot.measuring();
  result.place = snapshot.place;
  result.gates = AllGates(snapshot, spec);
  if (snapshot.measured == nullptr) return result;
  result.core.steps = snapshot.measured->steps();
  if (const auto share =
          snapshot.measuring() ? Completion(spec, *snapshot.measured) : std::nullopt) {
    result.core.percent = std::lround(*share * 100);
  }
  result.metrics = Ordered(snapshot.measured->Metrics(), spec);
  for (LeakFinding& finding : FindLeaks(*snapshot.measured)) {
    result.leaks.push_back(std::move(finding.leak));
  }
  if (snapshot.measured->latency().count() > 0) {
    result.histogram = snapshot.measured->latency().Pack();
    result.histogram_name = contract::InfoOf(spec.mode).step_time;
  }
  return result;
}

Unit RateUnit(Mode mode) {
  const contract::MetricInfo* rate = contract::FindMetric(contract::InfoOf(mode).rate);
  return rate != nullptr ? rate->unit : Unit::kPerSecond;
}

/// A loss that has not come down yet when a run is stopped is no failure of the model.
void LeaveLossOpen(std::vector<Gate>& gates, const Spec& spec) {
  const auto about_loss = [&](const Gate& gate) {
    return gate.name == "LossDecreases" ||
           std::ranges::any_of(spec.thresholds, [&](const contract::Threshold& one) {
             return one.name == gate.name && one.metric.ends_with(".loss");
           });
  };
  for (Gate& gate : gates) {
    if (!gate.user || gate.result != GateResult::kFailed || !about_loss(gate)) continue;
    gate.result = GateResult::kNotEvaluated;
    gate.message = "the run was stopped before its end";
  }
}

std::string Where(const Snapshot& snapshot, const std::string& node) {
  std::string where = node.empty() ? "" : "on " + node;
  if (!snapshot.place.gpus.empty()) {
    where += (where.empty() ? "" : ", ") + snapshot.place.gpus.front();
  }
  return where.empty() ? "" : " (" + where + ")";
}

Outcome Judge(const Spec& spec, const Snapshot& snapshot, const End& end,
              const contract::RunResult& result, const std::string& node) {
  if (snapshot.outcome && end.cause == End::Cause::kDone) {
    Outcome outcome = *snapshot.outcome;
    outcome.message += Where(snapshot, node);
    return outcome;
  }
  contract::Evidence evidence;
  evidence.steps = result.core.steps;
  if (snapshot.measured != nullptr) evidence.failed = snapshot.measured->errors();
  evidence.partial = end.cause == End::Cause::kSignal || end.cause == End::Cause::kRunTimeout;
  evidence.stalled = end.cause == End::Cause::kStalled;
  evidence.stall_detail = end.detail;
  evidence.where = Where(snapshot, node);
  evidence.min_steps = LeastSteps(spec);
  Outcome outcome = contract::Conclude(result.gates, evidence);
  if (end.cause == End::Cause::kRunTimeout && outcome.verdict == Verdict::kInconclusive) {
    outcome.reason = Reason::kRunTimeout;
    outcome.message = "timeouts.run (" + FormatDuration(spec.timeouts.run) + ") passed after " +
                      std::to_string(evidence.steps) + " measured steps" + evidence.where;
  }
  return outcome;
}

}  // namespace

std::int64_t LeastSteps(const Spec& spec) {
  if (!contract::HasSteps(spec.mode)) return 0;
  // The user said what is enough.
  if (!spec.thresholds.empty() || spec.mode == Mode::kBenchmark) return 1;
  return contract::Evidence().min_steps;
}

std::vector<Gate> AllGates(const Snapshot& snapshot, const Spec& spec) {
  std::vector<Gate> gates = snapshot.gates;
  if (!contract::HasSteps(spec.mode)) return gates;
  const Measurements* measured = snapshot.measured.get();
  for (Gate& gate : ModeGates(measured, spec)) gates.push_back(std::move(gate));
  if (measured != nullptr && measured->steps() > 0) {
    for (Gate& gate : LeakGates(FindLeaks(*measured))) gates.push_back(std::move(gate));
    if (const auto drift = FindDriftOf(*measured)) {
      gates.push_back(DriftGate(*drift, RateUnit(spec.mode)));
    }
  }
  const auto metrics =
      measured != nullptr ? measured->Metrics() : std::vector<contract::MetricValue>();
  for (const contract::Threshold& threshold : spec.thresholds) {
    gates.push_back(contract::EvaluateThreshold(threshold, metrics));
  }
  return gates;
}

contract::RunResult ConcludeRun(const contract::RunSpec& run, const Spec& spec,
                                const Snapshot& snapshot, const End& end, const std::string& node) {
  contract::RunResult result = Base(run, spec, snapshot);
  result.core.state = contract::ResultState::kFinal;
  result.core.partial = end.cause != End::Cause::kDone;
  if (result.core.partial) LeaveLossOpen(result.gates, spec);
  Outcome outcome = Judge(spec, snapshot, end, result, node);
  outcome.message = Shorten(outcome.message, kMaxMessage);
  result.core.exit = contract::ExitCodeOf(outcome.verdict, outcome.reason);
  result.core.outcome = std::move(outcome);
  return result;
}

contract::RunResult CheckpointOf(const contract::RunSpec& run, const Spec& spec,
                                 const Snapshot& snapshot) {
  contract::RunResult result = Base(run, spec, snapshot);
  result.core.state = contract::ResultState::kCheckpoint;
  result.core.partial = true;
  return result;
}

}  // namespace torchsoak::runner
