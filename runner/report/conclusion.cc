#include "runner/report/conclusion.h"

#include <algorithm>

#include "common/base/duration.h"
#include "common/base/text.h"
#include "common/base/units.h"
#include "common/contract/gates.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::LeakResult;
using contract::Mode;
using contract::Outcome;
using contract::Reason;
using contract::Spec;
using contract::Verdict;

constexpr std::size_t kMaxMessage = 200;

bool Asks(const Spec& spec, contract::Check check) {
  return std::ranges::find(spec.training.checks, check) != spec.training.checks.end();
}

/// Not asked for, it still says what it saw: a warning, no failure.
Gate FiniteLossGate(const Measurements* measured, bool asked) {
  Gate gate{"FiniteLoss", GateResult::kNotEvaluated, false, "", "", ""};
  if (measured == nullptr || measured->steps() == 0) {
    gate.message = "no step was measured";
  } else if (const auto step = measured->non_finite_step()) {
    gate.result = asked ? GateResult::kFailed : GateResult::kWarned;
    gate.observed = "step " + std::to_string(*step);
    gate.message = "the loss is NaN or infinite at step " + std::to_string(*step);
  } else {
    gate.result = GateResult::kPassed;
  }
  return gate;
}

Gate LossDecreasesGate(const Measurements* measured) {
  Gate gate{"LossDecreases", GateResult::kNotEvaluated, true, "", "", ""};
  const auto trend = measured != nullptr ? measured->Trend() : std::nullopt;
  if (const auto step = measured != nullptr ? measured->non_finite_step() : std::nullopt) {
    gate.result = GateResult::kFailed;
    gate.observed = "NaN or infinite";
    gate.limit = "half of its start";
    gate.message = "the loss became NaN or infinite at step " + std::to_string(*step);
    return gate;
  }
  if (!trend) {
    gate.message = "needs at least " + std::to_string(Measurements::kLossSteps) +
                   " steps, there were " +
                   std::to_string(measured != nullptr ? measured->losses() : 0);
    return gate;
  }
  const double limit = trend->start / 2;
  gate.observed = FormatValue(trend->end, Unit::kNone);
  gate.limit = "<= " + FormatValue(limit, Unit::kNone);
  gate.result = trend->end <= limit ? GateResult::kPassed : GateResult::kFailed;
  if (gate.result == GateResult::kFailed) {
    gate.message = "the loss went from " + FormatValue(trend->start, Unit::kNone) + " to " +
                   gate.observed + " and did not fall to half of its start";
  }
  return gate;
}

/// Loss scaling halves its scale at each overflow: from 65536 it is at 1 after 16. Whoever still
/// overflows has gradients that FP16 cannot hold, and trains nothing while the loss looks healthy.
constexpr std::int64_t kMostSkippedInRow = 20;

Gate FiniteGradientsGate(const Measurements::SkippedUpdates& updates) {
  Gate gate{"FiniteGradients", GateResult::kPassed, false, "", "", ""};
  const std::string count =
      std::to_string(updates.skipped) + " of " + std::to_string(updates.possible);
  gate.observed = count + " skipped";
  if (updates.longest >= kMostSkippedInRow) {
    gate.result = GateResult::kFailed;
    gate.message = count + " optimizer steps were skipped, " + std::to_string(updates.longest) +
                   " in a row: the FP16 gradients overflow at any loss scale";
  } else if (updates.skipped == updates.possible) {
    gate.result = GateResult::kNotEvaluated;
    gate.user = true;  // who asks for FP16 training asks that it trains: without that no Pass
    gate.message = count + " optimizer steps were skipped while loss scaling sought its scale: " +
                   "measure more steps, or warm up first";
  }
  return gate;
}

/// A request that was not answered is a fault, unless the user set a bound on the error rate. A run
/// in which none was answered is no evidence of anything good, whatever was asked.
Gate AnswersGate(const Measurements& measured, const Spec& spec) {
  Gate gate{"Answers", GateResult::kPassed, false, "", "", ""};
  if (measured.errors() == 0) return gate;
  const bool bounded = std::ranges::any_of(spec.thresholds, [](const contract::Threshold& one) {
    return one.metric == "inference.errorRate" && one.max;
  });
  const bool all = measured.errors() == measured.steps();
  gate.result = all || !bounded ? GateResult::kFailed : GateResult::kWarned;
  gate.message = std::to_string(measured.errors()) + " of " + std::to_string(measured.steps()) +
                 " requests failed: " + Shorten(measured.last_error(), 100);
  return gate;
}

GateResult GateOf(LeakResult result) {
  switch (result) {
    case LeakResult::kNone:
      return GateResult::kPassed;
    case LeakResult::kSuspected:
      return GateResult::kWarned;
    case LeakResult::kFound:
      return GateResult::kFailed;
    case LeakResult::kNotEnoughData:
      return GateResult::kNotEvaluated;
  }
  return GateResult::kNotEvaluated;
}

Gate ExactLeakGate(const ExactLeak::Finding& finding) {
  Gate gate{"ExactLeak", GateOf(finding.leak.result), false, "", "", ""};
  if (gate.result == GateResult::kPassed) return gate;
  gate.message = finding.explanation;
  if (gate.result == GateResult::kFailed) {
    gate.observed = FormatValue(finding.leak.bytes_per_step, Unit::kBytes) + "/step";
    gate.limit = "<= 0B/step";
  }
  return gate;
}

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
  result.metrics = Ordered(snapshot.measured->Metrics(), spec);
  result.leaks = {snapshot.measured->leak().Conclude().leak};
  if (snapshot.measured->latency().count() > 0) {
    result.histogram = snapshot.measured->latency().Pack();
    result.histogram_name = contract::InfoOf(spec.mode).step_time;
  }
  return result;
}

/// A loss that has not come down yet when a run is stopped is no failure of the model.
void LeaveLossOpen(std::vector<Gate>& gates, const Spec& spec) {
  const auto about_loss = [&](const Gate& gate) {
    return gate.name == "LossDecreases" ||
           std::ranges::any_of(spec.thresholds, [&](const contract::Threshold& one) {
             return one.name == gate.name && one.metric == "training.loss";
           });
  };
  for (Gate& gate : gates) {
    if (!gate.user || gate.result != GateResult::kFailed || !about_loss(gate)) continue;
    gate.result = GateResult::kNotEvaluated;
    gate.message = "the run was stopped before its end";
  }
}

std::string Where(const Snapshot& snapshot, const std::string& node) {
  std::string where = node.empty() ? "" : " on " + node;
  if (!snapshot.place.gpus.empty()) where += " (" + snapshot.place.gpus.front() + ")";
  return where;
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
  if (!contract::HasSteps(spec.mode)) {
    evidence.min_steps = 0;
  } else if (!spec.thresholds.empty()) {
    evidence.min_steps = 1;  // the user said what is enough
  }
  Outcome outcome = contract::Conclude(result.gates, evidence);
  if (end.cause == End::Cause::kRunTimeout && outcome.verdict == Verdict::kInconclusive) {
    outcome.reason = Reason::kRunTimeout;
    outcome.message = "timeouts.run (" + FormatDuration(spec.timeouts.run) + ") passed after " +
                      std::to_string(evidence.steps) + " measured steps" + evidence.where;
  }
  return outcome;
}

}  // namespace

std::vector<Gate> AllGates(const Snapshot& snapshot, const Spec& spec) {
  std::vector<Gate> gates = snapshot.gates;
  if (!contract::HasSteps(spec.mode)) return gates;
  const Measurements* measured = snapshot.measured.get();
  if (spec.mode == Mode::kTraining) {
    gates.push_back(FiniteLossGate(measured, Asks(spec, contract::Check::kFiniteLoss)));
  }
  if (Asks(spec, contract::Check::kLossDecreases)) gates.push_back(LossDecreasesGate(measured));
  if (measured != nullptr && measured->steps() > 0) {
    if (measured->skipped_updates().possible > 0) {
      gates.push_back(FiniteGradientsGate(measured->skipped_updates()));
    }
    if (spec.mode == Mode::kInference || measured->errors() > 0) {
      gates.push_back(AnswersGate(*measured, spec));
    }
    gates.push_back(ExactLeakGate(measured->leak().Conclude()));
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
