#pragma once
// A StressTest's spec as C++ sees it, and what one run is told.
//
// The CRD (crds/stresstests.yaml) is the source of truth: it validates and fills in defaults before
// anything comes here. ParseSpec still refuses what it cannot read, so that an object stored by an
// older schema ends as Error/InvalidSpec instead of being misread.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/contract/metrics.h"
#include "common/contract/models.h"
#include "common/contract/modes.h"

namespace torchsoak::contract {

enum class Precision { kFp32, kBf16, kFp16, kTf32, kFp64 };
enum class Optimizer { kSgd, kAdam, kAdamW };
enum class Check { kFiniteLoss, kLossDecreases };
enum class Measure { kForward, kBackward, kStep };
enum class GradMode { kInferenceMode, kNoGrad, kGrad };
enum class TimerMethod { kTimeit, kBlockedAutorange, kAdaptiveAutorange };

std::string_view ToString(Precision precision);
std::string_view ToString(Optimizer optimizer);
std::string_view ToString(Measure measure);
std::string_view ToString(GradMode mode);
std::string_view ToString(TimerMethod method);

struct TrainingSpec {
  ModelSpec model;
  std::int64_t batch_size = 128;
  std::int64_t samples_per_epoch = 10'000;  ///< size of the synthetic data set
  std::optional<std::int64_t> epochs;
  std::int64_t accumulation_steps = 1;  ///< micro-batches whose gradients make one step
  Precision precision = Precision::kFp32;
  bool amp = false;  ///< autocast (with loss scaling for FP16), not a cast model
  Optimizer optimizer = Optimizer::kAdam;
  bool fused = false;          ///< one kernel updates all parameters
  bool deterministic = false;  ///< deterministic algorithms only
  double learning_rate = 1e-3;
  std::vector<Check> checks;

  bool operator==(const TrainingSpec&) const = default;
};

struct InferenceSpec {
  ModelSpec model;
  std::int64_t batch_size = 1;
  Precision precision = Precision::kFp32;
  std::int64_t streams = 1;  ///< threads that each keep one request in flight

  bool operator==(const InferenceSpec&) const = default;
};

/// Blocks that it takes to speak of their spread, as in torch.utils.benchmark.
inline constexpr std::int64_t kLeastBlocks = 4;

/// How long is measured, as torch.utils.benchmark's Timer has it.
struct TimerSpec {
  TimerMethod method = TimerMethod::kBlockedAutorange;
  std::int64_t number = 100;                     ///< runs of Timeit
  std::chrono::milliseconds min_run_time{5000};  ///< of both autoranges
  std::chrono::milliseconds max_run_time{10'000};
  double threshold = 0.1;  ///< AdaptiveAutorange ends when IQR / median is below

  /// The time in blocks after which the last one ends it; nothing for Timeit, which counts runs.
  std::optional<std::chrono::milliseconds> MostTime() const;

  bool operator==(const TimerSpec&) const = default;
};

/// What LibTorch is told before it computes.
struct BackendSpec {
  bool cudnn_benchmark = false;
  bool deterministic = false;
  bool tf32 = false;
  std::optional<std::int64_t> threads;  ///< nothing: as many as the pod has CPUs

  bool operator==(const BackendSpec&) const = default;
};

struct BenchmarkSpec {
  ModelSpec model;
  std::int64_t batch_size = 32;
  Precision precision = Precision::kFp32;
  Measure measure = Measure::kForward;
  GradMode grad_mode = GradMode::kInferenceMode;  ///< of Forward
  TimerSpec timer;
  BackendSpec backend;

  bool operator==(const BenchmarkSpec&) const = default;
};

struct GemmSpec {
  std::int64_t size = 8192;  ///< n of the n × n matrices
  Precision precision = Precision::kFp32;

  bool operator==(const GemmSpec&) const = default;
};

struct MemorySpec {
  std::optional<std::int64_t> size;  ///< bytes on each device; nothing: 90 % of what a GPU has free

  bool operator==(const MemorySpec&) const = default;
};

struct PreflightSpec {
  std::int64_t matrix_size = 512;  ///< n of the n × n product that is checked

  bool operator==(const PreflightSpec&) const = default;
};

struct Threshold {
  std::string name;
  std::string metric;
  Statistic statistic = Statistic::kMean;
  std::optional<double> min;  ///< inclusive, in the metric's base unit
  std::optional<double> max;

  bool operator==(const Threshold&) const = default;
};

struct GpuSpec {
  std::int64_t per_pod = 1;  ///< 0: a CPU run
  std::string resource_name = "nvidia.com/gpu";

  bool operator==(const GpuSpec&) const = default;
};

struct Timeouts {
  std::chrono::milliseconds scheduling{};
  std::chrono::milliseconds startup{};
  std::chrono::milliseconds run{};  ///< the default of the contract is already worked out
  std::chrono::milliseconds stall{};
  std::optional<std::chrono::milliseconds> total;

  bool operator==(const Timeouts&) const = default;
};

struct Spec {
  Mode mode = Mode::kTraining;
  // Only the mode's own member is read; the others keep their defaults (no checks, no epochs).
  TrainingSpec training;
  InferenceSpec inference;
  BenchmarkSpec benchmark;
  GemmSpec gemm;
  MemorySpec memory_test;  ///< spec.memory
  PreflightSpec preflight;
  std::optional<std::chrono::milliseconds> duration;  ///< measured time, warm-up not part of it
  std::optional<std::int64_t> max_iterations;         ///< measured steps or requests
  std::optional<std::chrono::milliseconds> warmup;
  std::uint64_t seed = 0;
  GpuSpec gpu;
  std::vector<Threshold> thresholds;
  Timeouts timeouts;
  std::optional<std::chrono::milliseconds> ttl_after_passed;
  std::optional<std::chrono::milliseconds> ttl_after_failed;
  bool suspend = false;
  bool abort = false;
  std::string image;  ///< "" = the operator's runner image
  std::string cpu;    ///< spec.resources: quantities as the user wrote them, "" = none
  std::string memory;
  std::map<std::string, std::string> extended;  ///< extended resources, whole numbers
  Json pod = Json::object();                    ///< spec.pod, checked by the schema

  bool operator==(const Spec&) const = default;
};

/// Reads a spec that went through the CRD's schema (defaults included). kInvalid names the field.
Expected<Spec> ParseSpec(const Json& spec);

/// What a runner is told, in the environment variable TORCHSOAK_RUN (≤ 32 KiB of JSON).
struct RunSpec {
  std::string ns;
  std::string test;
  std::string uid;  ///< of the StressTest; "" for a local run
  std::int64_t run = 0;
  std::int64_t attempt = 1;
  std::string source_revision;  ///< annotation torchsoak.dev/source-revision, "" when absent
  Json spec;                    ///< the spec as validated; ParseSpec reads it
};

/// kTooLarge above 32 KiB.
Expected<std::string> EncodeRunSpec(const RunSpec& run);
Expected<RunSpec> DecodeRunSpec(std::string_view text);

/// As much of who is meant as can be read of a RunSpec of any version, without the spec: a runner
/// that must refuse it still answers in the right name.
RunSpec ReadRunIdentity(std::string_view text);

}  // namespace torchsoak::contract
