#include "common/contract/spec.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/base/quantity.h"
#include "common/contract/spec_benchmark.h"
#include "common/contract/spec_model.h"
#include "common/contract/spec_reader.h"

namespace torchsoak::contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::array<Word<Precision>, 5> kGemmPrecisions = {{{"FP32", Precision::kFp32},
                                                             {"BF16", Precision::kBf16},
                                                             {"FP16", Precision::kFp16},
                                                             {"TF32", Precision::kTf32},
                                                             {"FP64", Precision::kFp64}}};
constexpr std::array<Word<Optimizer>, 3> kOptimizers = {
    {{"SGD", Optimizer::kSgd}, {"Adam", Optimizer::kAdam}, {"AdamW", Optimizer::kAdamW}}};

// The CRD has the same bounds; here they keep what an older schema let through from doing harm.
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMany = 1'000'000'000'000;
constexpr std::int64_t kWide = 1'048'576;
constexpr std::int64_t kLeastMemory = std::int64_t{64} << 20;
constexpr std::int64_t kMostMemory = std::int64_t{4} << 40;
constexpr std::size_t kMaxThresholds = 32;
constexpr std::int64_t kDefaultEpochs = 10;

void ReadChecks(SpecReader& reader, std::vector<Check>& out) {
  const Json* list = reader.Member("checks");
  if (list == nullptr) {
    out = {Check::kFiniteLoss};
    return;
  }
  if (!list->is_array()) return reader.Wrong("checks", "must be array");
  for (const Json& item : *list) {
    if (item == "FiniteLoss") {
      out.push_back(Check::kFiniteLoss);
    } else if (item == "LossDecreases") {
      out.push_back(Check::kLossDecreases);
    } else {
      reader.Wrong("checks", "holds a check that is not known to this version");
    }
  }
}

TrainingSpec ReadTraining(SpecReader reader) {
  TrainingSpec training;
  training.model = ReadModel(reader.Child("model"));
  reader.Int("batchSize", 1, kWide, training.batch_size);
  reader.Int("samplesPerEpoch", 1, 1'000'000'000, training.samples_per_epoch);
  reader.Int("epochs", 1, 1'000'000, training.epochs);
  reader.Int("accumulationSteps", 1, 65'536, training.accumulation_steps);
  reader.Choice<Precision>("precision", ModelPrecisions(), training.precision);
  reader.Bool("amp", training.amp);
  reader.Choice<Optimizer>("optimizer", kOptimizers, training.optimizer);
  reader.Bool("fused", training.fused);
  reader.Bool("deterministic", training.deterministic);
  reader.Number("learningRate", 0, 1e99, training.learning_rate);
  ReadChecks(reader, training.checks);
  return training;
}

InferenceSpec ReadInference(SpecReader reader) {
  InferenceSpec inference;
  SpecReader in_process = reader.Child("inProcess");
  if (!reader.Has("inProcess")) reader.Wrong("inProcess", "is missing");
  inference.model = ReadModel(in_process.Child("model"));
  in_process.Int("batchSize", 1, 65'536, inference.batch_size);
  in_process.Choice<Precision>("precision", ModelPrecisions(), inference.precision);
  in_process.Int("streams", 1, 64, inference.streams);
  return inference;
}

GemmSpec ReadGemm(SpecReader reader) {
  GemmSpec gemm;
  reader.Int("size", 16, 32'768, gemm.size);
  reader.Choice<Precision>("precision", kGemmPrecisions, gemm.precision);
  return gemm;
}

MemorySpec ReadMemory(SpecReader reader) {
  MemorySpec memory;
  if (!reader.Has("size")) return memory;
  std::string text;
  reader.Text("size", text);
  const auto size = ParseQuantity(text);
  if (!size || *size < kLeastMemory || *size > kMostMemory) {
    reader.Wrong("size", Quote(text) + " is not a quantity from 64Mi to 4Ti, e.g. 4Gi");
  } else {
    memory.size = *size;
  }
  return memory;
}

void ReadBound(SpecReader& reader, std::string_view key, Unit unit, std::optional<double>& out) {
  if (!reader.Has(key)) return;
  std::string text;
  reader.Text(key, text);
  const auto value = ParseValue(text, unit);
  if (!value) return reader.Wrong(key, value.error().message);
  out = *value;
}

Threshold ReadThreshold(SpecReader reader) {
  Threshold threshold;
  reader.Text("name", threshold.name);
  reader.Text("metric", threshold.metric);
  const MetricInfo* metric = FindMetric(threshold.metric);
  if (metric == nullptr) {
    reader.Wrong("metric", Quote(threshold.metric) + " is not a metric of this version");
    return threshold;
  }
  threshold.statistic = metric->statistics.front();
  if (reader.Has("statistic")) {
    std::string text;
    reader.Text("statistic", text);
    threshold.statistic = ParseStatistic(text).value_or(threshold.statistic);
    const auto& known = metric->statistics;
    if (ToString(threshold.statistic) != text ||
        std::find(known.begin(), known.end(), threshold.statistic) == known.end()) {
      reader.Wrong("statistic", threshold.metric + " has no statistic " + Quote(text));
    }
  }
  ReadBound(reader, "min", metric->unit, threshold.min);
  ReadBound(reader, "max", metric->unit, threshold.max);
  if (!threshold.min && !threshold.max) reader.Wrong("", "set min, max or both");
  if (threshold.min && threshold.max && *threshold.min > *threshold.max) {
    reader.Wrong("min", "must not be more than max: nothing could meet both");
  }
  return threshold;
}

void ReadThresholds(SpecReader& reader, std::vector<Threshold>& out) {
  const Json* list = reader.Member("thresholds");
  if (list == nullptr) return;
  if (!list->is_array() || list->size() > kMaxThresholds) {
    return reader.Wrong("thresholds", "must be a list of at most 32");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    out.push_back(ReadThreshold(reader.Item("thresholds", i)));
  }
}

/// Twice the asked time and a margin for start and flush, or 1h where only counts end the run.
milliseconds DefaultRunTimeout(const Spec& spec) {
  const auto asked =
      spec.mode == Mode::kBenchmark ? spec.benchmark.timer.MostTime() : spec.duration;
  if (!asked) return std::chrono::hours(1);
  return 2 * (spec.warmup.value_or(milliseconds(0)) + *asked) + minutes(5);
}

void ReadTimeouts(SpecReader reader, Spec& spec) {
  Timeouts& timeouts = spec.timeouts;
  timeouts.scheduling = timeouts.startup = minutes(15);
  timeouts.stall = minutes(5);
  timeouts.run = DefaultRunTimeout(spec);
  reader.Duration("scheduling", timeouts.scheduling);
  reader.Duration("startup", timeouts.startup);
  reader.Duration("run", timeouts.run);
  reader.Duration("stall", timeouts.stall);
  reader.Duration("total", timeouts.total);
}

void ReadResources(SpecReader reader, Spec& spec) {
  reader.Text("cpu", spec.cpu);
  reader.Text("memory", spec.memory);
  const auto check = [&](std::string_view key, const Expected<std::int64_t>& amount) {
    if (reader.Has(key) && !amount) reader.Wrong(key, amount.error().message);
  };
  check("cpu", ParseMilliQuantity(spec.cpu));
  check("memory", ParseQuantity(spec.memory));
  SpecReader extended = reader.Child("extended");
  const Json* map = reader.Member("extended");
  if (map == nullptr || !map->is_object()) return;
  for (const auto& [name, amount] : map->items()) {
    std::string text;
    extended.Text(name, text);
    const auto value = ParseQuantity(text);
    if (!value) extended.Wrong(name, value.error().message);
    spec.extended[name] = text;
  }
}

void ReadMode(SpecReader& reader, Mode& out) {
  if (!reader.Has("mode")) return reader.Wrong("mode", "is missing");
  std::string name;
  reader.Text("mode", name);
  const ModeInfo* info = FindMode(name);
  if (info == nullptr) return reader.Wrong("mode", Quote(name) + " is not known to this version");
  out = info->mode;
}

void ReadWorkload(SpecReader& reader, Spec& spec) {
  ReadMode(reader, spec.mode);
  const std::string_view member = InfoOf(spec.mode).member;
  if (!reader.Has(member)) reader.Wrong(member, "is missing");
  switch (spec.mode) {
    case Mode::kTraining:
      spec.training = ReadTraining(reader.Child("training"));
      break;
    case Mode::kInference:
      spec.inference = ReadInference(reader.Child("inference"));
      break;
    case Mode::kBenchmark:
      spec.benchmark = ReadBenchmark(reader.Child("benchmark"));
      break;
    case Mode::kGemm:
      spec.gemm = ReadGemm(reader.Child("gemm"));
      break;
    case Mode::kMemory:
      spec.memory_test = ReadMemory(reader.Child("memory"));
      break;
    case Mode::kPreflight:
      reader.Child("preflight").Int("matrixSize", 16, 16'384, spec.preflight.matrix_size);
      break;
  }
  reader.Duration("duration", spec.duration);
  reader.Int("maxIterations", 1, kMany, spec.max_iterations);
  reader.Duration("warmup", spec.warmup);
  std::int64_t seed = 0;
  reader.Int("seed", 0, kMaxInt, seed);
  spec.seed = static_cast<std::uint64_t>(seed);
  if (spec.mode == Mode::kTraining && !spec.training.epochs && !spec.duration &&
      !spec.max_iterations) {
    spec.training.epochs = kDefaultEpochs;
  }
  const bool limited = spec.duration || spec.max_iterations;
  if (spec.mode == Mode::kBenchmark && limited) {
    reader.Wrong("duration", "a Benchmark ends by its timer: leave out duration and maxIterations");
  }
  if (spec.mode != Mode::kTraining && spec.mode != Mode::kBenchmark && HasSteps(spec.mode) &&
      !limited) {
    reader.Wrong("duration", "duration, maxIterations or both must say when this mode ends");
  }
}

}  // namespace

std::string_view ToString(Precision precision) {
  return NameOf<Precision>(precision, kGemmPrecisions);
}
std::string_view ToString(Optimizer optimizer) { return NameOf<Optimizer>(optimizer, kOptimizers); }

Expected<Spec> ParseSpec(const Json& json) {
  std::optional<Error> error;
  SpecReader reader(json, "spec", error);
  if (!json.is_object()) return Fail(ErrorCode::kInvalid, "spec: must be object");
  Spec spec;
  ReadWorkload(reader, spec);
  SpecReader gpu = reader.Child("gpu");
  gpu.Int("perPod", 0, 16, spec.gpu.per_pod);
  gpu.Text("resourceName", spec.gpu.resource_name);
  if (spec.gemm.precision == Precision::kTf32 && spec.gpu.per_pod == 0) {
    gpu.Wrong("perPod", "must not be 0 with gemm.precision TF32, in which only GPUs compute");
  }
  if (spec.mode == Mode::kMemory && !spec.memory_test.size && spec.gpu.per_pod == 0) {
    reader.Wrong("memory.size", "is missing: a CPU run needs to know how much memory to test");
  }
  ReadThresholds(reader, spec.thresholds);
  ReadTimeouts(reader.Child("timeouts"), spec);
  SpecReader retention = reader.Child("retention");
  retention.Duration("ttlAfterPassed", spec.ttl_after_passed);
  retention.Duration("ttlAfterFailed", spec.ttl_after_failed);
  reader.Bool("suspend", spec.suspend);
  reader.Bool("abort", spec.abort);
  reader.Text("image", spec.image);
  ReadResources(reader.Child("resources"), spec);
  reader.Child("pod");  // an object or an error; what is in it is the job builder's
  if (reader.Has("pod")) spec.pod = *reader.Member("pod");
  if (error) return tl::unexpected<Error>(*error);
  return spec;
}

}  // namespace torchsoak::contract
