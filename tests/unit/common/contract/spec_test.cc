#include "common/contract/spec.h"

#include <gtest/gtest.h>

#include <string>

namespace torchsoak::contract {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Json Training() { return {{"mode", "Training"}, {"training", Json::object()}}; }
Json Gemm() {
  return {
      {"mode", "Gemm"}, {"maxIterations", 100}, {"gemm", Json::object()}, {"gpu", {{"perPod", 0}}}};
}

Json Memory() {
  return {{"mode", "Memory"},
          {"maxIterations", 100},
          {"memory", {{"size", "1Gi"}}},
          {"gpu", {{"perPod", 0}}}};
}

Json Benchmark() {
  return {{"mode", "Benchmark"}, {"benchmark", Json::object()}, {"gpu", {{"perPod", 0}}}};
}

Json Inference() {
  return {{"mode", "Inference"},
          {"maxIterations", 100},
          {"inference", {{"target", "InProcess"}, {"inProcess", Json::object()}}}};
}

TEST(ParseSpec, DefaultsOfTheContract) {
  const auto spec = ParseSpec(Training());
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->mode, Mode::kTraining);
  EXPECT_EQ(spec->training.batch_size, 128);
  EXPECT_EQ(spec->training.optimizer, Optimizer::kAdam);
  EXPECT_EQ(spec->training.learning_rate, 1e-3);
  EXPECT_EQ(spec->training.precision, Precision::kFp32);
  EXPECT_EQ(spec->training.epochs, 10) << "no epochs, duration or maxIterations";
  EXPECT_EQ(spec->training.checks, std::vector<Check>{Check::kFiniteLoss});
  EXPECT_EQ(spec->training.model.inputs, 784);
  EXPECT_EQ(spec->gpu.per_pod, 1);
  EXPECT_EQ(spec->gpu.resource_name, "nvidia.com/gpu");
  EXPECT_EQ(spec->timeouts.scheduling, minutes(15));
  EXPECT_EQ(spec->timeouts.startup, minutes(15));
  EXPECT_EQ(spec->timeouts.stall, minutes(5));
  EXPECT_FALSE(spec->timeouts.total);
}

TEST(ParseSpec, RunTimeoutFollowsFromWhatIsAskedFor) {
  Json json = Training();
  EXPECT_EQ(ParseSpec(json)->timeouts.run, hours(1)) << "only counts";
  json["duration"] = "30m";
  EXPECT_EQ(ParseSpec(json)->timeouts.run, minutes(65));
  EXPECT_FALSE(ParseSpec(json)->training.epochs);
  json["warmup"] = "1m30s";
  EXPECT_EQ(ParseSpec(json)->timeouts.run, minutes(68));
  json["timeouts"] = {{"run", "7m"}};
  EXPECT_EQ(ParseSpec(json)->timeouts.run, minutes(7));
  json = Training();
  json["duration"] = "720h";
  json["warmup"] = "720h";
  EXPECT_EQ(ParseSpec(json)->timeouts.run, hours(2880) + minutes(5));
}

TEST(ParseSpec, ReadsEverything) {
  Json json = Training();
  json["training"] = {
      {"model",
       {{"builtin", "ConvNet"},
        {"params",
         {{"channels", 32}, {"kernel", 3}, {"stride", 1}, {"imageSize", 64}, {"classes", 5}}}}},
      {"batchSize", 64.0},
      {"samplesPerEpoch", 1000},
      {"epochs", 3},
      {"accumulationSteps", 2},
      {"precision", "BF16"},
      {"amp", true},
      {"optimizer", "AdamW"},
      {"learningRate", "1e-4"},
      {"checks", {"FiniteLoss", "LossDecreases"}}};
  json["duration"] = "1.5h";
  json["maxIterations"] = 1'000'000'000'000;
  json["seed"] = 9223372036854775807;
  json["gpu"] = {{"perPod", 2}, {"resourceName", "amd.com/gpu"}};
  json["resources"] = {{"cpu", "1.5"}, {"memory", "2.7Gi"}, {"extended", {{"rdma/hca", "1"}}}};
  json["thresholds"] = {
      {{"name", "p99"}, {"metric", "training.stepTime"}, {"statistic", "P99"}, {"max", "130ms"}},
      {{"name", "rate"}, {"metric", "training.samplesPerSecond"}, {"min", "2400/s"}}};
  json["timeouts"] = {
      {"scheduling", "1m"}, {"startup", "2m"}, {"run", "3h"}, {"stall", "30s"}, {"total", "4h"}};
  json["retention"] = {{"ttlAfterPassed", "24h"}, {"ttlAfterFailed", "720h"}};
  json["suspend"] = true;
  json["abort"] = true;
  json["image"] = "torchsoak/runner:dev";
  json["pod"] = {{"shmSize", "2Gi"}};
  const auto spec = ParseSpec(json);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->training.model.kind, ModelKind::kConvNet);
  EXPECT_EQ(spec->training.model.channels, 32);
  EXPECT_EQ(spec->training.model.classes, 5);
  EXPECT_EQ(spec->training.batch_size, 64) << "64.0 is a whole number";
  EXPECT_EQ(spec->training.epochs, 3);
  EXPECT_EQ(spec->training.accumulation_steps, 2);
  EXPECT_TRUE(spec->training.amp);
  EXPECT_EQ(spec->training.learning_rate, 1e-4);
  EXPECT_EQ(spec->training.checks.size(), 2U);
  EXPECT_EQ(spec->duration, minutes(90));
  EXPECT_EQ(spec->max_iterations, 1'000'000'000'000);
  EXPECT_EQ(spec->seed, 9223372036854775807U);
  EXPECT_EQ(spec->gpu.resource_name, "amd.com/gpu");
  EXPECT_EQ(spec->memory, "2.7Gi");
  EXPECT_EQ(spec->extended.at("rdma/hca"), "1");
  ASSERT_EQ(spec->thresholds.size(), 2U);
  EXPECT_EQ(spec->thresholds[0].statistic, Statistic::kP99);
  EXPECT_EQ(spec->thresholds[0].max, 0.13);
  EXPECT_FALSE(spec->thresholds[0].min);
  EXPECT_EQ(spec->thresholds[1].statistic, Statistic::kMean) << "the metric's default";
  EXPECT_EQ(spec->timeouts.stall, seconds(30));
  EXPECT_EQ(spec->timeouts.total, hours(4));
  EXPECT_EQ(spec->ttl_after_passed, hours(24));
  EXPECT_TRUE(spec->suspend);
  EXPECT_EQ(spec->pod, (Json{{"shmSize", "2Gi"}}));
}

TEST(ParseSpec, OtherModes) {
  Json json = Inference();
  json["inference"]["inProcess"] = {{"batchSize", 8}, {"streams", 4}, {"precision", "FP16"}};
  const auto inference = ParseSpec(json);
  ASSERT_TRUE(inference) << inference.error().message;
  EXPECT_EQ(inference->inference.streams, 4);
  EXPECT_EQ(inference->inference.precision, Precision::kFp16);
  const auto preflight = ParseSpec({{"mode", "Preflight"}, {"preflight", {{"matrixSize", 64}}}});
  ASSERT_TRUE(preflight);
  EXPECT_EQ(preflight->preflight.matrix_size, 64);
}

TEST(ParseSpec, ModelFiles) {
  Json json = Training();
  json["training"]["model"]["torchScript"] = {
      {"path", "/models/a.pt"},
      {"classes", 7},
      {"inputs",
       {{{"shape", {3, 5}}}, {{"shape", Json::array()}, {"type", "INT32"}, {"below", 9}}}}};
  const auto script = ParseSpec(json);
  ASSERT_TRUE(script) << script.error().message;
  ModelSpec expected;
  expected.kind = ModelKind::kTorchScript;
  expected.path = "/models/a.pt";
  expected.classes = 7;
  expected.inputs_of_file = {{{3, 5}, ModelInput::Type::kFp32, 2},
                             {{}, ModelInput::Type::kInt32, 9}};
  EXPECT_EQ(script->training.model, expected);
  EXPECT_EQ(ToString(expected.kind), "TorchScript");

  json = Inference();
  json["inference"]["inProcess"]["model"]["aotInductor"] = {
      {"path", "/models/a.pt2"}, {"inputs", {{{"shape", {3}}, {"type", "INT64"}}}}};
  const auto compiled = ParseSpec(json);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->inference.model.kind, ModelKind::kAotInductor);
  EXPECT_EQ(compiled->inference.model.inputs_of_file.front().type, ModelInput::Type::kInt64);

  Json& model = json["inference"]["inProcess"]["model"];
  const auto refused = [&](const char* pointer, const Json& value) {
    Json changed = json;
    changed["inference"]["inProcess"]["model"][Json::json_pointer(pointer)] = value;
    const auto spec = ParseSpec(changed);
    return spec ? "" : spec.error().message;
  };
  const std::string at = "spec.inference.inProcess.model";
  EXPECT_TRUE(refused("/builtin", "MLP").starts_with(at + ": ")) << refused("/builtin", "MLP");
  EXPECT_TRUE(refused("/torchScript", model["aotInductor"]).starts_with(at + ": "));
  EXPECT_TRUE(refused("/aotInductor/path", "").starts_with(at + ".aotInductor.path: "));
  EXPECT_TRUE(refused("/aotInductor/inputs", 5).starts_with(at + ".aotInductor.inputs: "));
  EXPECT_TRUE(refused("/aotInductor/inputs/0", 5).starts_with(at + ".aotInductor.inputs[0]: "));
  EXPECT_TRUE(refused("/aotInductor/inputs/0/shape/0", -1)
                  .starts_with(at + ".aotInductor.inputs[0].shape: "));
  EXPECT_TRUE(refused("/aotInductor/inputs/0/type", "FP8")
                  .starts_with(at + ".aotInductor.inputs[0].type: "));
}

TEST(ParseSpec, RefusesAndNamesTheField) {
  struct Bad {
    Json base;
    const char* pointer;
    Json value;
    const char* field;
  };
  const Json threshold = {{"name", "a"}, {"metric", "training.loss"}, {"max", "1"}};
  const auto with = [&](const char* key, const Json& value) {
    Json changed = threshold;
    changed[key] = value;
    return Json::array({changed});
  };
  const Bad cases[] = {
      {Training(), "/mode", "AllReduce", "spec.mode: "},
      {Training(), "/mode", 5, "spec.mode: "},
      {Training(), "/training", 5, "spec.training: "},
      {Training(), "/training/batchSize", 0, "spec.training.batchSize: "},
      {Training(), "/training/batchSize", "128", "spec.training.batchSize: "},
      {Training(), "/training/batchSize", 1.5, "spec.training.batchSize: "},
      {Training(), "/training/batchSize", 1e300, "spec.training.batchSize: "},
      {Training(), "/training/batchSize", 18446744073709551615U, "spec.training.batchSize: "},
      {Training(), "/training/learningRate", "fast", "spec.training.learningRate: "},
      {Training(), "/training/learningRate", "nan", "spec.training.learningRate: "},
      {Training(), "/training/learningRate", "-1", "spec.training.learningRate: "},
      {Training(), "/training/learningRate", "1e-3 ", "spec.training.learningRate: "},
      {Training(), "/training/amp", "yes", "spec.training.amp: "},
      {Training(), "/training/precision", "FP8", "spec.training.precision: "},
      {Training(), "/training/checks", {"Magic"}, "spec.training.checks: "},
      {Training(), "/training/checks", "FiniteLoss", "spec.training.checks: "},
      {Training(),
       "/training/model",
       {{"params", {{"dropout", "1"}}}},
       "spec.training.model.params.dropout: "},
      {Training(),
       "/training/model",
       {{"builtin", "ConvNet"}, {"params", {{"imageSize", 5}}}},
       "spec.training.model.params.kernel: "},
      {Training(),
       "/training/model",
       {{"builtin", "GPT"}, {"params", {{"heads", 5}}}},
       "spec.training.model.params.heads: "},
      {Training(),
       "/training/model",
       {{"builtin", "ResNet18"}, {"params", {{"dropout", "0.1"}}}},
       "spec.training.model.params.dropout: "},
      {Training(), "/duration", "2d", "spec.duration: "},
      {Training(), "/duration", 30, "spec.duration: "},
      {Training(), "/timeouts", {{"run", "soon"}}, "spec.timeouts.run: "},
      {Training(), "/retention", {{"ttlAfterPassed", "1y"}}, "spec.retention.ttlAfterPassed: "},
      {Training(), "/resources", {{"memory", "16Ei"}}, "spec.resources.memory: "},
      {Training(), "/resources", {{"cpu", "0"}}, "spec.resources.cpu: "},
      {Training(),
       "/resources",
       {{"extended", {{"rdma/hca", "0"}}}},
       "spec.resources.extended.rdma/hca: "},
      {Training(), "/pod", "x", "spec.pod: "},
      {Training(), "/image", 5, "spec.image: "},
      {Training(), "/abort", "true", "spec.abort: "},
      {Training(), "/gpu", {{"perPod", 17}}, "spec.gpu.perPod: "},
      {Training(), "/seed", -1, "spec.seed: "},
      {Training(), "/thresholds", 5, "spec.thresholds: "},
      {Training(), "/thresholds", with("metric", "training.lost"), "spec.thresholds[0].metric: "},
      {Training(), "/thresholds", with("statistic", "P99"), "spec.thresholds[0].statistic: "},
      {Training(), "/thresholds", with("statistic", "best"), "spec.thresholds[0].statistic: "},
      {Training(), "/thresholds", with("max", "1s"), "spec.thresholds[0].max: "},
      {Training(), "/thresholds", with("min", "2"), "spec.thresholds[0].min: "},
      {Training(),
       "/thresholds",
       {{{"name", "a"}, {"metric", "training.loss"}}},
       "spec.thresholds[0]: "},
      {Inference(), "/inference", {{"target", "InProcess"}}, "spec.inference.inProcess: "},
      {Gemm(), "/gemm/precision", "INT8", "spec.gemm.precision: "},
      {Gemm(), "/gemm/size", 65'536, "spec.gemm.size: "},
      {Gemm(), "/gemm/precision", "TF32", "spec.gpu.perPod: "},
      {Benchmark(), "/duration", "1m", "spec.duration: "},
      {Benchmark(), "/maxIterations", 5, "spec.duration: "},
      {Benchmark(), "/benchmark/measure", "Sideways", "spec.benchmark.measure: "},
      {Benchmark(), "/benchmark/timer", {{"method", "Sundial"}}, "spec.benchmark.timer.method: "},
      {Benchmark(), "/benchmark/backend", {{"threads", 0}}, "spec.benchmark.backend.threads: "},
      {Memory(), "/memory/size", "1Mi", "spec.memory.size: "},
      {Memory(), "/memory/size", 4, "spec.memory.size: "},
      {Memory(), "/memory", Json::object(), "spec.memory.size: "},
      {Inference(), "/maxIterations", 0, "spec.maxIterations: "},
  };
  for (const Bad& c : cases) {
    Json json = c.base;
    json[Json::json_pointer(c.pointer)] = c.value;
    const auto spec = ParseSpec(json);
    ASSERT_FALSE(spec) << json;
    EXPECT_EQ(spec.error().code, ErrorCode::kInvalid);
    EXPECT_TRUE(spec.error().message.starts_with(c.field)) << spec.error().message;
  }
  EXPECT_FALSE(ParseSpec(Json::array()));
  EXPECT_FALSE(ParseSpec(Json::object()));
  EXPECT_FALSE(ParseSpec({{"mode", "Training"}}));
  EXPECT_FALSE(ParseSpec({{"mode", "Inference"}}));
  EXPECT_FALSE(
      ParseSpec({{"mode", "Inference"},
                 {"inference", {{"target", "InProcess"}, {"inProcess", Json::object()}}}}));
}

TEST(ParseSpec, TheTimersTimes) {
  const auto parsed = [](Json timer) {
    Json json = Benchmark();
    json["benchmark"]["timer"] = std::move(timer);
    return *ParseSpec(json);
  };
  EXPECT_EQ(parsed(Json::object()).benchmark.timer.min_run_time, seconds(5));
  EXPECT_EQ(parsed(Json::object()).timeouts.run, seconds(10) + minutes(5));
  EXPECT_EQ(parsed({{"method", "AdaptiveAutorange"}}).benchmark.timer.min_run_time,
            milliseconds(10));
  EXPECT_EQ(parsed({{"method", "AdaptiveAutorange"}, {"maxRunTime", "1m"}}).timeouts.run,
            minutes(7));
  EXPECT_EQ(parsed({{"method", "Timeit"}}).timeouts.run, hours(1));
}

TEST(ParseSpec, Words) {
  EXPECT_EQ(ToString(Measure::kBackward), "Backward");
  EXPECT_EQ(ToString(GradMode::kNoGrad), "NoGrad");
  EXPECT_EQ(ToString(TimerMethod::kTimeit), "Timeit");
  EXPECT_EQ(ToString(Mode::kPreflight), "Preflight");
  EXPECT_EQ(ToString(ModelKind::kConvNet), "ConvNet");
  EXPECT_EQ(ToString(Precision::kBf16), "BF16");
  EXPECT_EQ(ToString(Optimizer::kAdamW), "AdamW");
}

}  // namespace
}  // namespace torchsoak::contract
