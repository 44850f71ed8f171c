#include "runner/report/steadiness.h"

#include <algorithm>
#include <vector>

#include "common/base/units.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;

std::string Percent(double share) { return FormatValue(share, Unit::kRatio); }

std::string Explain(const Drift& drift, Unit rate) {
  if (drift.steps.empty()) {
    return "the throughput falls by " + Percent(-drift.per_hour) +
           " an hour (95%: " + Percent(-drift.high) + " to " + Percent(-drift.low) + ")";
  }
  const auto worst = std::ranges::min_element(
      drift.steps, {}, [](const Drift::Step& step) { return step.after / step.before; });
  return "the throughput fell from " + FormatValue(worst->before, rate) + " to " +
         FormatValue(worst->after, rate) + " at " + FormatValue(worst->at, Unit::kSeconds);
}

std::string_view ToString(Drift::Result result) {
  switch (result) {
    case Drift::Result::kSteady:
      return "Steady";
    case Drift::Result::kSlower:
      return "Slower";
    case Drift::Result::kNotEnoughData:
      return "NotEnoughData";
  }
  return "NotEnoughData";
}

}  // namespace

std::optional<Drift> FindDriftOf(const Measurements& measured) {
  if (measured.work() == 0) return std::nullopt;
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  std::vector<Work> work;
  for (const RateWindows::Window& window : measured.windows().Windows()) {
    const double end = seconds(window.end);
    const double start = seconds(window.start);
    work.push_back({start, end, window.PerSecond() * (end - start)});
  }
  return FindDrift(work);
}

Gate DriftGate(const Drift& drift, Unit rate) {
  Gate gate{"Drift", GateResult::kPassed, false, "", "", ""};
  if (drift.result == Drift::Result::kNotEnoughData) {
    gate.result = GateResult::kNotEvaluated;
    gate.message = "to judge whether the throughput holds takes about 2 minutes of measuring";
  } else if (drift.result == Drift::Result::kSlower) {
    gate.result = GateResult::kWarned;
    gate.message = Explain(drift, rate);
  }
  return gate;
}

Json ToJson(const Drift& drift) {
  Json steps = Json::array();
  for (const Drift::Step& step : drift.steps) {
    steps.push_back({{"atSeconds", step.at}, {"before", step.before}, {"after", step.after}});
  }
  Json json = {{"result", ToString(drift.result)}, {"windows", drift.windows}};
  if (drift.result == Drift::Result::kNotEnoughData) return json;
  json.update({{"sharePerHour", drift.per_hour},
               {"low", drift.low},
               {"high", drift.high},
               {"p", drift.p},
               {"lost", drift.lost},
               {"steps", std::move(steps)}});
  return json;
}

}  // namespace torchsoak::runner
