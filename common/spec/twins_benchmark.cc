#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "common/base/duration.h"
#include "common/spec/twins.h"

namespace torchsoak::spec::twins {
namespace {

bool MeasuresForward(const RuleInput& in) { return GetString(in.self, {"measure"}) == "Forward"; }

/// The duration there, or the usual one; nothing for a text that is none, which has a rule of its
/// own.
std::optional<std::chrono::nanoseconds> TimeOr(const Json& json, std::string_view key,
                                               std::chrono::nanoseconds usual) {
  if (!json.contains(key)) return usual;
  const auto time = ParseNanoseconds(GetString(json, {key}));
  return time ? std::optional(*time) : std::nullopt;
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
  const Json* timer = Find(in.self, {"benchmark", "timer"});
  const Json* timeouts = Find(in.self, {"timeouts"});
  if (timer == nullptr || !timer->contains("minRunTime") || timeouts == nullptr) return true;
  const auto least = TimeOr(*timer, "minRunTime", {});
  const auto warmup = TimeOr(in.self, "warmup", {});
  constexpr std::array<std::string_view, 2> kTimeouts = {"run", "total"};
  return std::ranges::all_of(kTimeouts, [&](std::string_view timeout) {
    const auto limit = TimeOr(*timeouts, timeout, kMaxDuration);
    return !limit || !least || !warmup || *limit >= *least + *warmup;
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
  const auto least = TimeOr(in.self, "minRunTime", std::chrono::milliseconds(10));
  const auto most = TimeOr(in.self, "maxRunTime", std::chrono::seconds(10));
  return GetString(in.self, {"method"}) != "AdaptiveAutorange" || !least || !most ||
         *least <= *most;
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
