#include "runner/report/leaks.h"

#include <algorithm>

#include "common/base/units.h"
#include "runner/detect/leak_rank.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::LeakResult;

Unit UnitOf(std::string_view metric) {
  const contract::MetricInfo* info = contract::FindMetric(metric);
  return info != nullptr ? info->unit : Unit::kNone;
}

std::string Explain(std::string_view metric, const Growth& growth) {
  const Unit unit = UnitOf(metric);
  const auto rate = [&](double value) { return FormatValue(value, unit) + "/h"; };
  const std::string name(metric);
  const std::string over = " over " + std::to_string(growth.windows) + " windows from " +
                           FormatValue(growth.from, Unit::kSeconds);
  switch (growth.result) {
    case LeakResult::kFound:
      return name + " grows by " + rate(growth.per_hour) + " (95%: " + rate(growth.low) + " to " +
             rate(growth.high) + ")" + over;
    case LeakResult::kSuspected:
      return name + " grew by " + rate(growth.per_hour) +
             (growth.rests ? " and came to rest" : " in a few steps") + over +
             ": a cache that was filled or a leak; run longer";
    case LeakResult::kNone:
      return name + " does not grow" + over;
    case LeakResult::kNotEnoughData:
      return "to judge whether " + name + " grows takes about 5 minutes of measuring";
  }
  return name;
}

LeakFinding OfCurve(const Streams::Finding& found, std::int64_t samples) {
  LeakFinding finding;
  finding.leak.name = found.metric;
  finding.leak.result = found.growth.result;
  if (found.growth.result == LeakResult::kFound || found.growth.result == LeakResult::kSuspected) {
    finding.leak.per_hour = found.growth.per_hour;
  }
  finding.explanation = Explain(found.metric, found.growth);
  finding.samples = samples;
  finding.growth = found.growth;
  return finding;
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

Gate ExactLeakGate(const LeakFinding& finding) {
  Gate gate{"ExactLeak", GateOf(finding.leak.result), false, "", "", ""};
  if (gate.result == GateResult::kPassed) return gate;
  gate.message = finding.explanation;
  if (gate.result == GateResult::kFailed) {
    gate.observed = FormatValue(finding.leak.bytes_per_step, Unit::kBytes) + "/step";
    gate.limit = "<= 0B/step";
  }
  return gate;
}

}  // namespace

std::vector<LeakFinding> FindLeaks(const Measurements& measured) {
  const ExactLeak::Finding exact = measured.leak().Conclude();
  std::vector<LeakFinding> findings = {
      {exact.leak, exact.explanation, measured.leak().samples(), std::nullopt, exact.born}};
  for (const Streams::Finding& found : measured.streams().Growths(measured.elapsed())) {
    findings.push_back(OfCurve(found, measured.streams().Find(found.metric)->series.count()));
  }
  return findings;
}

std::vector<Gate> LeakGates(const std::vector<LeakFinding>& findings) {
  std::vector<Gate> gates;
  if (findings.empty()) return gates;
  gates.push_back(ExactLeakGate(findings.front()));
  const auto worst = std::max_element(
      findings.begin() + 1, findings.end(),
      [](const auto& a, const auto& b) { return RankOf(a.leak.result) < RankOf(b.leak.result); });
  if (worst == findings.end()) return gates;
  Gate gate{"Growth", GateOf(worst->leak.result), false, "", "", ""};
  if (gate.result != GateResult::kPassed) gate.message = worst->explanation;
  gates.push_back(std::move(gate));
  return gates;
}

}  // namespace torchsoak::runner
