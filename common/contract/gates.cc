#include "common/contract/gates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/contract/histogram.h"
#include "common/contract/modes.h"

namespace torchsoak::contract {
namespace {

constexpr std::size_t kMaxSentence = 200;

Unit UnitOf(const std::string& metric) {
  const MetricInfo* info = FindMetric(metric);
  return info == nullptr ? Unit::kNone : info->unit;
}

/// Both numbers as text, with as many digits as it takes to tell them apart.
std::pair<std::string, std::string> FormatApart(double a, double b, Unit unit) {
  for (int digits = 4; digits < 17; ++digits) {
    std::string first = FormatValue(a, unit, digits);
    std::string second = FormatValue(b, unit, digits);
    if (first != second || a == b) return {std::move(first), std::move(second)};
  }
  return {FormatValue(a, unit, 17), FormatValue(b, unit, 17)};
}

std::string LimitText(const Threshold& threshold, Unit unit) {
  std::string text;
  if (threshold.min) text = ">= " + FormatValue(*threshold.min, unit);
  if (threshold.min && threshold.max) text += " and ";
  if (threshold.max) text += "<= " + FormatValue(*threshold.max, unit);
  return text;
}

/// The samples that a tail percentile needs; 1 for everything else.
std::int64_t Needed(Statistic statistic) {
  switch (statistic) {
    case Statistic::kP10:
    case Statistic::kP90:
      return SamplesNeeded(0.9);
    case Statistic::kP95:
      return SamplesNeeded(0.95);
    case Statistic::kP99:
      return SamplesNeeded(0.99);
    case Statistic::kP999:
      return SamplesNeeded(0.999);
    default:
      return 1;
  }
}

std::string Longer(const Threshold& threshold) {
  return threshold.metric.starts_with(InfoOf(Mode::kBenchmark).member)
             ? "a longer timer"
             : "a longer duration or more maxIterations";
}

Gate NotEvaluated(Gate gate, std::string why) {
  gate.result = GateResult::kNotEvaluated;
  gate.message = std::move(why);
  return gate;
}

std::string Label(const Threshold& threshold) {
  return threshold.metric + " " + std::string(ToString(threshold.statistic));
}

/// The reason of a failed gate: built-in ones by their name, a user's threshold always the same.
struct GateReason {
  std::string_view gate;
  Reason reason;
};
// In the order in which they are looked for: the first failed one gives the verdict.
constexpr auto kBuiltins = std::to_array<GateReason>({
    {"FiniteLoss", Reason::kNonFiniteLoss},
    {"FiniteGradients", Reason::kNonFiniteLoss},
    {"Gemm", Reason::kWrongResult},
    {"WrongResult", Reason::kWrongResult},
    {"Answers", Reason::kWrongResult},
    {"ExactLeak", Reason::kLeakFound},
    {"Growth", Reason::kLeakFound},
    {"DeviceCount", Reason::kDeviceCountMismatch},
    {"Canaries", Reason::kPreflightFailed},
    {"Device", Reason::kPreflightFailed},
    {"SharedMemory", Reason::kPreflightFailed},
    {"MemoryLimit", Reason::kPreflightFailed},
    {"CpuLimit", Reason::kPreflightFailed},
    {"Threads", Reason::kPreflightFailed},
    {"LibTorch", Reason::kPreflightFailed},
    {"Driver", Reason::kPreflightFailed},
});

std::optional<Reason> BuiltinReason(const std::string& name) {
  for (const GateReason& known : kBuiltins) {
    if (known.gate == name) return known.reason;
  }
  return std::nullopt;
}

/// Smaller comes first. Error reasons come last: a run that was bad says so before anything else.
int Rank(const Gate& gate) {
  for (std::size_t i = 0; i < kBuiltins.size(); ++i) {
    if (kBuiltins[i].gate != gate.name) continue;
    const bool failed = Fits(Verdict::kFailed, kBuiltins[i].reason);
    return static_cast<int>(i) + (failed ? 0 : 100);
  }
  return 50;
}

std::string GateSentence(const Gate& gate, const std::string& where) {
  std::string what = gate.message;
  if (what.empty()) what = gate.observed.empty() ? "failed" : gate.observed + ", not " + gate.limit;
  return gate.name + ": " + what + where;
}

Outcome Make(Verdict verdict, Reason reason, const std::string& sentence) {
  return {verdict, reason, Shorten(sentence, kMaxSentence)};
}

std::string Steps(std::int64_t n) {
  return std::to_string(n) + (n == 1 ? " measured step" : " measured steps");
}

Outcome Stalled(const Evidence& evidence) {
  const std::string what =
      evidence.stall_detail.empty() ? "no step finished in time" : evidence.stall_detail;
  if (evidence.steps > 0) return Make(Verdict::kFailed, Reason::kStalled, what + evidence.where);
  // The contract: what ends before measuring began is an Error, not a Failed.
  return Make(Verdict::kError, Reason::kStartupTimeout,
              "no step was measured: " + what + evidence.where);
}

std::optional<Outcome> FirstFailure(const std::vector<Gate>& gates, const std::string& where) {
  const Gate* first = nullptr;
  std::int64_t others = -1;
  for (const Gate& gate : gates) {
    if (gate.result != GateResult::kFailed) continue;
    ++others;
    if (first == nullptr || Rank(gate) < Rank(*first)) first = &gate;
  }
  if (first == nullptr) return std::nullopt;
  const Reason reason = BuiltinReason(first->name).value_or(Reason::kThresholdBreached);
  const Verdict verdict = Fits(Verdict::kFailed, reason) ? Verdict::kFailed : Verdict::kError;
  std::string sentence = GateSentence(*first, where);
  if (others > 0) sentence += "; and " + std::to_string(others) + " more";
  return Make(verdict, reason, sentence);
}

}  // namespace

Gate EvaluateThreshold(const Threshold& threshold, const std::vector<MetricValue>& metrics) {
  const Unit unit = UnitOf(threshold.metric);
  Gate gate;
  gate.name = threshold.name;
  gate.user = true;
  gate.limit = LimitText(threshold, unit);
  const auto metric = std::find_if(metrics.begin(), metrics.end(), [&](const MetricValue& m) {
    return m.name == threshold.metric && m.statistic == threshold.statistic;
  });
  if (metric == metrics.end() || !metric->value || !std::isfinite(*metric->value)) {
    const std::int64_t samples = metric == metrics.end() ? 0 : metric->samples;
    return NotEvaluated(
        gate, Label(threshold) + " was not measured (" + std::to_string(samples) + " samples)");
  }
  const double value = *metric->value;
  gate.observed = FormatValue(value, unit);
  const std::int64_t needed = Needed(threshold.statistic);
  if (metric->samples < needed) {
    return NotEvaluated(gate, Label(threshold) + " needs " + std::to_string(needed) +
                                  " samples and has " + std::to_string(metric->samples) +
                                  ": measure " + std::to_string(needed - metric->samples) +
                                  " more, with " + Longer(threshold));
  }
  const auto breach = [&](double bound, const char* sign) {
    const auto [observed, limit] = FormatApart(value, bound, unit);
    gate.result = GateResult::kFailed;
    gate.observed = observed;
    gate.message = Label(threshold) + " " + observed + sign + limit;
  };
  gate.result = GateResult::kPassed;
  if (threshold.min && value < *threshold.min) breach(*threshold.min, " < ");
  if (threshold.max && value > *threshold.max) breach(*threshold.max, " > ");
  return gate;
}

Outcome Conclude(const std::vector<Gate>& gates, const Evidence& evidence) {
  if (evidence.stalled) return Stalled(evidence);
  if (auto failure = FirstFailure(gates, evidence.where)) return *failure;
  if (evidence.partial) {
    return Make(Verdict::kInconclusive, Reason::kPodDeleted,
                "stopped before the end, after " + Steps(evidence.steps) + evidence.where);
  }
  for (const Gate& gate : gates) {
    if (!gate.user || gate.result != GateResult::kNotEvaluated) continue;
    const Reason reason = gate.name == "Timing" ? Reason::kUnstable : Reason::kTooFewSamples;
    return Make(Verdict::kInconclusive, reason,
                gate.name + " was not evaluated: " +
                    (gate.message.empty() ? "no data" : gate.message) + evidence.where);
  }
  const std::int64_t answered = evidence.steps - evidence.failed;
  if (answered < evidence.min_steps) {
    return Make(Verdict::kInconclusive, Reason::kTooFewSamples,
                Steps(answered) + ", at least " + std::to_string(evidence.min_steps) +
                    " are needed: set a longer duration or more maxIterations" + evidence.where);
  }
  const auto met = std::count_if(gates.begin(), gates.end(), [](const Gate& gate) {
    return gate.result == GateResult::kPassed;
  });
  std::string sentence = std::to_string(met) + (met == 1 ? " gate" : " gates") + " met";
  if (evidence.min_steps > 0) sentence += " over " + Steps(evidence.steps);
  return Make(Verdict::kPassed, Reason::kAllGatesMet, sentence + evidence.where);
}

}  // namespace torchsoak::contract
