#include "common/contract/spec_benchmark.h"

#include <array>
#include <chrono>

#include "common/contract/spec_model.h"

namespace torchsoak::contract {
namespace {

using std::chrono::milliseconds;

constexpr std::array<Word<Measure>, 3> kMeasures = {
    {{"Forward", Measure::kForward}, {"Backward", Measure::kBackward}, {"Step", Measure::kStep}}};
constexpr std::array<Word<GradMode>, 3> kGradModes = {{{"InferenceMode", GradMode::kInferenceMode},
                                                       {"NoGrad", GradMode::kNoGrad},
                                                       {"Grad", GradMode::kGrad}}};
constexpr std::array<Word<TimerMethod>, 3> kMethods = {
    {{"Timeit", TimerMethod::kTimeit},
     {"BlockedAutorange", TimerMethod::kBlockedAutorange},
     {"AdaptiveAutorange", TimerMethod::kAdaptiveAutorange}}};

constexpr milliseconds kLeastAdaptive{10};

TimerSpec ReadTimer(SpecReader reader) {
  TimerSpec timer;
  reader.Choice<TimerMethod>("method", kMethods, timer.method);
  reader.Int("number", 1, 100'000, timer.number);
  if (timer.method == TimerMethod::kAdaptiveAutorange) timer.min_run_time = kLeastAdaptive;
  reader.Duration("minRunTime", timer.min_run_time);
  reader.Duration("maxRunTime", timer.max_run_time);
  reader.Number("threshold", 0, 1, timer.threshold);
  return timer;
}

BackendSpec ReadBackend(SpecReader reader) {
  BackendSpec backend;
  reader.Bool("cudnnBenchmark", backend.cudnn_benchmark);
  reader.Bool("deterministic", backend.deterministic);
  reader.Bool("tf32", backend.tf32);
  reader.Int("threads", 1, 1024, backend.threads);
  return backend;
}

}  // namespace

std::string_view ToString(Measure measure) { return NameOf<Measure>(measure, kMeasures); }
std::string_view ToString(GradMode mode) { return NameOf<GradMode>(mode, kGradModes); }
std::string_view ToString(TimerMethod method) { return NameOf<TimerMethod>(method, kMethods); }

std::optional<milliseconds> TimerSpec::MostTime() const {
  if (method == TimerMethod::kTimeit) return std::nullopt;
  return method == TimerMethod::kBlockedAutorange ? min_run_time : max_run_time;
}

BenchmarkSpec ReadBenchmark(SpecReader reader) {
  BenchmarkSpec benchmark;
  benchmark.model = ReadModel(reader.Child("model"));
  reader.Int("batchSize", 1, 1'048'576, benchmark.batch_size);
  reader.Choice<Precision>("precision", ModelPrecisions(), benchmark.precision);
  reader.Choice<Measure>("measure", kMeasures, benchmark.measure);
  reader.Choice<GradMode>("gradMode", kGradModes, benchmark.grad_mode);
  benchmark.timer = ReadTimer(reader.Child("timer"));
  benchmark.backend = ReadBackend(reader.Child("backend"));
  return benchmark;
}

}  // namespace torchsoak::contract
