#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "common/base/duration.h"
#include "common/spec/twins.h"

namespace torchsoak::spec::twins {
namespace {

bool MeasuresForward(const RuleInput& in) { return GetString(in.self, {"measure"}) == "Forward"; }

/// A text that is no duration has a rule of its own.
bool InOrder(const std::string& shorter, const std::string& longer) {
  const auto low = ParseNanoseconds(shorter);
  const auto high = ParseNanoseconds(longer);
  return !low || !high || *low <= *high;
}

std::string TextOr(const Json& json, std::string_view key, std::string usual) {
  return json.contains(key) ? GetString(json, {key}) : std::move(usual);
}

}  // namespace

bool BackendHasGpu(const RuleInput& in) {
  const Json* backend = Find(in.self, {"benchmark", "backend"});
  return backend == nullptr ||
         !(GetBool(*backend, {"cudnnBenchmark"}) || GetBool(*backend, {"tf32"})) ||
         GetInt(in.self, {"gpu", "perPod"}).value_or(1) > 0;
}

bool BenchmarkEndsByTimer(const RuleInput& in) {
  return !in.self.contains("benchmark") ||
         !(in.self.contains("duration") || in.self.contains("maxIterations"));
}

bool TimerFitsTimeouts(const RuleInput& in) {
  const Json* least = Find(in.self, {"benchmark", "timer", "minRunTime"});
  if (least == nullptr) return true;
  constexpr std::array<std::string_view, 2> kTimeouts = {"run", "total"};
  return std::ranges::all_of(kTimeouts, [&](std::string_view timeout) {
    const Json* limit = Find(in.self, {"timeouts", timeout});
    return limit == nullptr || InOrder(least->get<std::string>(), limit->get<std::string>());
  });
}

bool GradModeFits(const RuleInput& in) {
  return !in.self.contains("gradMode") || MeasuresForward(in);
}

bool MeasuredCanBeTrained(const RuleInput& in) { return MeasuresForward(in) || CanBeTrained(in); }

bool MeasuredClassesAreKnown(const RuleInput& in) {
  return MeasuresForward(in) || ClassesAreKnown(in);
}

bool Tf32IsFp32(const RuleInput& in) {
  return !GetBool(in.self, {"backend", "tf32"}) || GetString(in.self, {"precision"}) == "FP32";
}

bool NumberFits(const RuleInput& in) {
  return !in.self.contains("number") || GetString(in.self, {"method"}) == "Timeit";
}

bool MinRunTimeFits(const RuleInput& in) {
  return !in.self.contains("minRunTime") || GetString(in.self, {"method"}) != "Timeit";
}

bool AdaptiveMembersFit(const RuleInput& in) {
  return !(in.self.contains("maxRunTime") || in.self.contains("threshold")) ||
         GetString(in.self, {"method"}) == "AdaptiveAutorange";
}

bool RunTimesFit(const RuleInput& in) {
  return GetString(in.self, {"method"}) != "AdaptiveAutorange" ||
         InOrder(TextOr(in.self, "minRunTime", "10ms"), TextOr(in.self, "maxRunTime", "10s"));
}

bool AtMostAnHour(const RuleInput& in) {
  const auto time = ParseDuration(in.self.get_ref<const std::string&>());
  return time && *time <= std::chrono::hours(1);
}

bool ShareInRange(const RuleInput& in) {
  const double share = std::strtod(in.self.get_ref<const std::string&>().c_str(), nullptr);
  return share > 0 && share <= 1;
}

}  // namespace torchsoak::spec::twins
