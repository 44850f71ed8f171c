#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "common/contract/gates.h"
#include "common/contract/modes.h"
#include "runner/canary/kinds.h"
#include "runner/report/conclusion.h"

namespace torchsoak::runner {
namespace {

using contract::Check;
using contract::GateResult;
using contract::MetricValue;
using contract::Precision;
using contract::Spec;

/// What the run would conclude from these numbers about one gate.
GateResult ResultOf(const Spec& spec, const Measurements& measured, std::string_view gate) {
  Snapshot snapshot;
  snapshot.phase = Phase::kMeasure;
  snapshot.measured = std::make_shared<Measurements>(measured);
  for (const contract::Gate& one : AllGates(snapshot, spec)) {
    if (one.name == gate) return one.result;
  }
  return GateResult::kNotEvaluated;
}

/// `count` steps of 1 ms, each changed by `fault`.
template <typename Fault>
Measurements Steps(const Spec& spec, int count, Fault fault) {
  Measurements measured(spec.mode);
  for (int i = 0; i < count; ++i) {
    MeasuredStep step;
    step.at = std::chrono::milliseconds(i + 1);
    step.work = 1;
    fault(step);
    measured.Add(step);
  }
  return measured;
}

Canary Judge(std::string detector, GateResult result, std::string detail) {
  const bool seen = result == GateResult::kFailed || result == GateResult::kWarned;
  return seen ? Proven(std::move(detector), std::move(detail))
              : Dead(std::move(detector), std::move(detail));
}

bool Reports(const Spec& spec, std::string_view end) {
  return std::ranges::any_of(contract::AllMetrics(), [&](const contract::MetricInfo& metric) {
    return metric.name.ends_with(end) && contract::Measures(spec.mode, metric.name);
  });
}

Canary FiniteLoss(const Spec& spec) {
  const auto measured = Steps(
      spec, 1, [](MeasuredStep& step) { step.loss = std::numeric_limits<double>::quiet_NaN(); });
  return Judge("FiniteLoss", ResultOf(spec, measured, "FiniteLoss"), "a loss that is NaN");
}

Canary LossDecreases(const Spec& spec) {
  const auto measured = Steps(spec, 2 * static_cast<int>(Measurements::kLossSteps),
                              [](MeasuredStep& step) { step.loss = 1.0; });
  return Judge("LossDecreases", ResultOf(spec, measured, "LossDecreases"), "a loss that stays 1");
}

Canary FiniteGradients(const Spec& spec) {
  const auto measured = Steps(spec, 200, [](MeasuredStep& step) {
    step.loss = 1.0;
    step.updated = false;
  });
  return Judge("FiniteGradients", ResultOf(spec, measured, "FiniteGradients"),
               "200 optimizer steps skipped in a row");
}

Canary Answers(const Spec& spec) {
  const auto measured = Steps(spec, 100, [](MeasuredStep& step) {
    step.errors = 1;
    step.last_error = "shown on purpose";
  });
  return Judge("Answers", ResultOf(spec, measured, "Answers"), "100 requests without an answer");
}

/// A third less work from the middle of ten minutes on.
Canary Slower(const Spec& spec) {
  std::int64_t second = 0;
  const auto measured = Steps(spec, 600, [&](MeasuredStep& step) {
    step.at = std::chrono::seconds(++second);
    step.work = second <= 300 ? 1000 : 667;
    step.loss = 1.0;
  });
  return Judge("Drift", ResultOf(spec, measured, "Drift"), "a third less throughput from half on");
}

/// A value that lies beyond a bound, by ten times its size or, for 0, by ten.
double Beyond(const contract::Threshold& threshold) {
  if (threshold.max) return *threshold.max + 10 * std::max(1.0, std::abs(*threshold.max));
  return *threshold.min - 10 * std::max(1.0, std::abs(*threshold.min));
}

Canary Thresholds(const Spec& spec) {
  constexpr std::int64_t kPlenty = 1'000'000;
  for (const contract::Threshold& threshold : spec.thresholds) {
    const std::vector<MetricValue> values = {
        {threshold.metric, threshold.statistic, Beyond(threshold), kPlenty}};
    if (contract::EvaluateThreshold(threshold, values).result != GateResult::kFailed) {
      return Dead("Thresholds", "a value far beyond the bound of " + threshold.name);
    }
  }
  return Proven("Thresholds", "a value far beyond each bound");
}

/// Step times of 1 to 1000 ms, each once: P50 is 500 ms and P99 990 ms, to the histogram's 0.1 %.
Canary Percentiles(const Spec& spec) {
  std::int64_t count = 0;
  std::array<std::int64_t, 1> latency{};
  const auto measured = Steps(spec, 1000, [&](MeasuredStep& step) {
    latency[0] = ++count * 1'000'000;
    step.latencies_ns = latency;
  });
  const std::string_view metric = contract::InfoOf(spec.mode).step_time;
  const auto near = [&](contract::Statistic statistic, double seconds) {
    const auto value = measured.Value(metric, statistic).value;
    return value && std::abs(*value - seconds) <= 0.002 * seconds;
  };
  const std::string detail = "the times 1 to 1000 ms, of which P50 and P99 are known";
  const bool right = near(contract::Statistic::kP50, 0.5) && near(contract::Statistic::kP99, 0.99);
  return right ? Proven("Percentiles", detail) : Dead("Percentiles", detail);
}

}  // namespace

std::vector<Canary> ShowWrongNumbers(const Spec& spec) {
  std::vector<Canary> canaries;
  const auto asked = [&](Check check) {
    return std::ranges::find(spec.training.checks, check) != spec.training.checks.end();
  };
  if (Reports(spec, ".loss")) canaries.push_back(FiniteLoss(spec));
  if (asked(Check::kLossDecreases)) canaries.push_back(LossDecreases(spec));
  if (spec.training.amp && spec.training.precision == Precision::kFp16) {
    canaries.push_back(FiniteGradients(spec));
  }
  if (Reports(spec, ".errorRate")) canaries.push_back(Answers(spec));
  if (!spec.thresholds.empty()) canaries.push_back(Thresholds(spec));
  if (!contract::InfoOf(spec.mode).rate.empty()) canaries.push_back(Slower(spec));
  canaries.push_back(Percentiles(spec));
  return canaries;
}

}  // namespace torchsoak::runner
