// Each twin on the good and the bad side of its rule; the files of tests/testdata/invalid have one
// example each, here are the borders.

#include "common/spec/rules.h"

#include <gtest/gtest.h>

#include <string>

#include "common/contract/spec.h"
#include "common/spec/twins.h"

namespace torchsoak::spec {
namespace {

bool Holds(bool (*twin)(const RuleInput&), const Json& self, const Json& old = Json()) {
  return twin({self, old, Json()});
}

TEST(Rules, Name) {
  const auto named = [](const std::string& name) { return Json{{"metadata", {{"name", name}}}}; };
  for (const std::string& good : {std::string("a"), std::string("a-1"), std::string(40, 'a')}) {
    EXPECT_TRUE(Holds(twins::NameIsLabel, named(good))) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("A"), std::string("1a"), std::string("a."), std::string("a-"),
        std::string("-a"), std::string(41, 'a'), std::string(253, 'a'), std::string("a\n"),
        std::string("ä")}) {
    EXPECT_FALSE(Holds(twins::NameIsLabel, named(bad))) << bad;
  }
}

TEST(Rules, QuantityAsTheServerReadsIt) {
  for (const char* good : {"2.7Gi", "1.2Gi", "0.5", "500m", "1Ti", "1e3", "1P", "100M", "128974848",
                           "1.5e9", "1Pi", "1125899906842624", "+1", ".5", "5."}) {
    EXPECT_TRUE(Holds(twins::QuantityInRange, good)) << good;
  }
  for (const char* bad : {"1125899906842625", "1.0000001Pi", "9223372036854775807", "8Ei", "16Ei",
                          "1e999", "0", "-1Gi", "1 Gi", "1gb", "1GiB", "", "0.0", "x"}) {
    EXPECT_FALSE(Holds(twins::QuantityInRange, bad)) << bad;
  }
}

TEST(Rules, ExtendedResources) {
  EXPECT_TRUE(Holds(twins::ExtendedNames,
                    {{"hugepages-2Mi", "1"}, {"rdma/hca", "1"}, {"a.b.c/D_e-f.g", "1"}}));
  for (const std::string& bad :
       {std::string("hca"), std::string("/hca"), std::string("rdma/"), std::string("Rdma/hca"),
        std::string("rdma/-hca"), "a/" + std::string(252, 'b')}) {
    EXPECT_FALSE(Holds(twins::ExtendedNames, {{bad, "1"}})) << bad;
  }
  EXPECT_TRUE(Holds(twins::ExtendedWhole, {{"hugepages-2Mi", "512Mi"}, {"rdma/hca", "10"}}));
  EXPECT_FALSE(Holds(twins::ExtendedWhole, {{"rdma/hca", "1Ki"}}));
  EXPECT_TRUE(Holds(twins::GpuNotInExtended, {{"gpu", {{"resourceName", "a/b"}}},
                                              {"resources", {{"extended", {{"a/c", "1"}}}}}}));
  EXPECT_FALSE(Holds(twins::GpuNotInExtended, {{"gpu", {{"resourceName", "a/b"}}},
                                               {"resources", {{"extended", {{"a/b", "1"}}}}}}));
}

TEST(Rules, Hugepages) {
  const Json pages = {{"rdma/hca", "1"}, {"hugepages-2Mi", "2Mi"}};
  EXPECT_FALSE(Holds(twins::HugepagesHaveCompany, {{"extended", pages}}));
  EXPECT_TRUE(Holds(twins::HugepagesHaveCompany, {{"extended", pages}, {"cpu", "1"}}));
  EXPECT_TRUE(Holds(twins::HugepagesHaveCompany, {{"extended", pages}, {"memory", "1Gi"}}));
  EXPECT_TRUE(Holds(twins::HugepagesHaveCompany, {{"extended", {{"rdma/hca", "1"}}}}));
  EXPECT_TRUE(Holds(twins::HugepagesHaveCompany, Json::object()));
}

TEST(Rules, GpusOfOtherNames) {
  for (const char* name : {"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb",
                           "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"}) {
    EXPECT_FALSE(Holds(twins::GpuNotInExtended,
                       {{"gpu", {{"perPod", 0}, {"resourceName", "a/b"}}},
                        {"resources", {{"extended", {{"rdma/hca", "1"}, {name, "1"}}}}}}))
        << name;
  }
  for (const char* name : {"nvidia.com/hostdev", "intel.com/qat", "x.nvidia.com/gpu"}) {
    EXPECT_TRUE(Holds(twins::GpuNotInExtended, {{"gpu", {{"resourceName", "a/b"}}},
                                                {"resources", {{"extended", {{name, "1"}}}}}}))
        << name;
  }
}

TEST(Rules, NamesOfTheOperator) {
  EXPECT_TRUE(Holds(twins::SecretName, "torchsoak-registry"));
  EXPECT_FALSE(Holds(twins::SecretName, "my-torchsoak-registry"));
  EXPECT_TRUE(Holds(twins::VolumeNameIsFree, "torchsoak"));
  EXPECT_FALSE(Holds(twins::VolumeNameIsFree, "torchsoak-x"));
  EXPECT_FALSE(Holds(twins::EnvIsFree, "TORCHSOAK_"));
  EXPECT_TRUE(Holds(twins::EnvIsFree, "TORCHSOAK"));
  for (const char* path :
       {"/dev", "/dev/shm", "/tmp", "/proc", "/sys/fs", "/dev/termination-log"}) {
    EXPECT_FALSE(Holds(twins::MountIsFree, path)) << path;
  }
  for (const char* path : {"/device", "/tmp/x", "/data", "/data/dev", "/system"}) {
    EXPECT_TRUE(Holds(twins::MountIsFree, path)) << path;
  }
  for (const char* label : {"torchsoak.dev/x", "app.kubernetes.io/name", "job-name",
                            "batch.kubernetes.io/job-name", "controller-uid"}) {
    EXPECT_FALSE(Holds(twins::LabelsAreFree, {{label, "x"}})) << label;
  }
  EXPECT_TRUE(Holds(twins::LabelsAreFree, {{"team", "x"}, {"x.torchsoak.dev/a", "y"}}));
}

TEST(Rules, EnvironmentThatChoosesDevices) {
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                           "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                           "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_MIG_CONFIG_DEVICES", "NVIDIA_"}) {
    EXPECT_FALSE(Holds(twins::EnvIsFree, name)) << name;
  }
  for (const char* name :
       {"NVIDIA_TF32_OVERRIDE", "NVIDIA", "CUDA_LAUNCH_BLOCKING", "NCCL_DEBUG"}) {
    EXPECT_TRUE(Holds(twins::EnvIsFree, name)) << name;
  }
}

TEST(Rules, LabelKeys) {
  const std::string most(63, 'a');
  for (const std::string& good : {std::string("a"), std::string("Team_1.x"), "example.com/" + most,
                                  std::string("a-b.c/d"), std::string(253, 'd') + "/" + most}) {
    EXPECT_TRUE(Holds(twins::LabelKeys, {{good, ""}})) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("a b"), std::string("-a"), std::string("a-"),
        std::string("a/b/c"), std::string("Ab.c/d"), most + "a", std::string("/a"),
        std::string("a/"), std::string("a..b/c"), std::string("a.-b/c"), std::string("a./c"),
        std::string(254, 'd') + "/c", std::string("ä")}) {
    EXPECT_FALSE(Holds(twins::LabelKeys, {{bad, ""}})) << bad;
  }
}

TEST(Rules, RunTimeoutHoldsWarmupAndDuration) {
  const auto spec = [](const char* run, const char* warmup) {
    Json json = {{"mode", "Training"}, {"training", Json::object()}, {"duration", "1m"}};
    json["timeouts"] = {{"run", run}};
    if (*warmup != '\0') json["warmup"] = warmup;
    return json;
  };
  EXPECT_TRUE(Holds(twins::RunTimeoutIsEnough, spec("60s", "")));
  EXPECT_FALSE(Holds(twins::RunTimeoutIsEnough, spec("59s", "")));
  EXPECT_TRUE(Holds(twins::RunTimeoutIsEnough, spec("90s", "30s")));
  EXPECT_FALSE(Holds(twins::RunTimeoutIsEnough, spec("89s", "30s")));
  Json counted = spec("1s", "");
  counted["maxIterations"] = 5;
  EXPECT_TRUE(Holds(twins::RunTimeoutIsEnough, counted)) << "it may end by its count";
  Json epochs = spec("1s", "");
  epochs["training"]["epochs"] = 5;
  EXPECT_TRUE(Holds(twins::RunTimeoutIsEnough, epochs));
}

TEST(Rules, TotalHoldsWhatMustHappenInIt) {
  const auto held = [](const char* total, const char* run) {
    return Holds(twins::TotalHoldsRun, {{"timeouts", {{"total", total}, {"run", run}}}});
  };
  EXPECT_TRUE(held("1h", "60m"));
  EXPECT_FALSE(held("59m59.999s", "1h"));
  EXPECT_TRUE(held("soon", "1h")) << "the pattern's to refuse";
  EXPECT_TRUE(Holds(twins::TotalHoldsRun, {{"timeouts", {{"run", "1h"}}}}));
  EXPECT_TRUE(Holds(twins::TotalHoldsRun, {{"timeouts", {{"total", "1s"}}}}));
  Json spec = {{"duration", "1.0004s"}, {"warmup", "1.0004s"}};
  spec["timeouts"] = {{"total", "2000.8ms"}};
  EXPECT_TRUE(Holds(twins::TotalTimeoutIsEnough, spec)) << "as CEL: no part is rounded";
  spec["timeouts"]["total"] = "2000.79ms";
  EXPECT_FALSE(Holds(twins::TotalTimeoutIsEnough, spec));
  spec["training"]["epochs"] = 1;
  EXPECT_TRUE(Holds(twins::TotalTimeoutIsEnough, spec)) << "it may end by its count";
}

// The rule's text has the defaults as numbers.
TEST(Rules, KernelAndImageThatAreLeftOut) {
  const contract::ModelSpec usual;
  const auto fits = [](const char* param, std::int64_t value) {
    return Holds(twins::KernelFits, {{"builtin", "ConvNet"}, {"params", {{param, value}}}});
  };
  EXPECT_TRUE(fits("imageSize", usual.kernel));
  EXPECT_FALSE(fits("imageSize", usual.kernel - 1));
  EXPECT_TRUE(fits("kernel", usual.image_size));
  EXPECT_FALSE(fits("kernel", usual.image_size + 1));
  EXPECT_TRUE(Holds(twins::KernelFits, {{"builtin", "ConvNet"}}));
}

TEST(Rules, OrderOfBounds) {
  const auto ordered = [](const char* metric, const char* min, const char* max) {
    return Holds(twins::MinBelowMax, {{"metric", metric}, {"min", min}, {"max", max}});
  };
  EXPECT_TRUE(ordered("training.stepTime", "300ms", "0.3s"));
  EXPECT_FALSE(ordered("training.stepTime", "301ms", "0.3s"));
  EXPECT_FALSE(ordered("training.stepTime", "0.2ns", "0.1ns"));
  EXPECT_TRUE(ordered("training.epochTime", "1ns", "99999999999999999999h"));
  EXPECT_TRUE(ordered("process.rss", "1GiB", "1024MiB"));
  EXPECT_FALSE(ordered("process.rss", "99999999TiB", "9999999TiB"));
  EXPECT_TRUE(ordered("training.samplesPerSecond", "2400", "2400/s"));
  EXPECT_TRUE(ordered("gemm.flopsPerSecond", "999GFLOP/s", "1TFLOP/s"));
  EXPECT_FALSE(ordered("gemm.flopsPerSecond", "1001GFLOP/s", "1TFLOP/s"));
  EXPECT_TRUE(ordered("memory.bytesPerSecond", "999GB/s", "1TB/s"));
  EXPECT_FALSE(ordered("memory.bytesPerSecond", "1GB/s", "999MB/s"));
  EXPECT_FALSE(ordered("inference.errorRate", "10%", "9.5%"));
  EXPECT_FALSE(ordered("training.loss", "-1", "-1.5"));
  EXPECT_TRUE(Holds(twins::MinBelowMax, {{"metric", "training.loss"}, {"min", "5"}}));
}

TEST(Rules, OnlyGpusComputeInTf32) {
  const auto holds = [](const char* precision, int gpus) {
    return Holds(twins::Tf32HasGpu,
                 {{"gemm", {{"precision", precision}}}, {"gpu", {{"perPod", gpus}}}});
  };
  EXPECT_TRUE(holds("TF32", 1));
  EXPECT_FALSE(holds("TF32", 0));
  EXPECT_TRUE(holds("FP32", 0));
  EXPECT_TRUE(Holds(twins::Tf32HasGpu, {{"gpu", {{"perPod", 0}}}}));
}

TEST(Rules, BoundsOnComputing) {
  const auto fits = [](const char* bound) {
    return Holds(twins::ComputingBound, {{"metric", "gemm.flopsPerSecond"}, {"min", bound}});
  };
  for (const char* good : {"40TFLOP/s", "500GFLOP/s", "1.5PFLOP/s", "12MFLOP/s"}) {
    EXPECT_TRUE(fits(good)) << good;
  }
  for (const char* bad : {"40", "40/s", "40TFLOPS", "40FLOP/s", "40 TFLOP/s", "-1TFLOP/s"}) {
    EXPECT_FALSE(fits(bad)) << bad;
  }
  EXPECT_TRUE(Holds(twins::ComputingBound, {{"metric", "training.loss"}, {"min", "1"}}));
}

TEST(Rules, BoundsOnBandwidth) {
  const auto fits = [](const char* bound) {
    return Holds(twins::BandwidthBound, {{"metric", "memory.bytesPerSecond"}, {"min", bound}});
  };
  for (const char* good : {"3TB/s", "20GB/s", "1.5GB/s", "12MB/s"}) EXPECT_TRUE(fits(good)) << good;
  for (const char* bad : {"3", "3/s", "3TB", "3TiB/s", "3B/s", "3 TB/s", "-1TB/s"}) {
    EXPECT_FALSE(fits(bad)) << bad;
  }
  EXPECT_TRUE(Holds(twins::BandwidthBound, {{"metric", "memory.allocated"}, {"min", "1GiB"}}));
}

TEST(Rules, MemoryOfACpuIsSaid) {
  const auto holds = [](const Json& memory, int gpus) {
    return Holds(twins::MemorySizeIsKnown, {{"memory", memory}, {"gpu", {{"perPod", gpus}}}});
  };
  EXPECT_TRUE(holds(Json::object(), 1));
  EXPECT_FALSE(holds(Json::object(), 0));
  EXPECT_TRUE(holds({{"size", "4Gi"}}, 0));
  EXPECT_TRUE(Holds(twins::MemorySizeIsKnown, {{"gpu", {{"perPod", 0}}}}));
}

TEST(Rules, BenchmarksTimer) {
  const auto timer = [](auto twin, const Json& self) { return Holds(twin, self); };
  const Json adaptive = {{"method", "AdaptiveAutorange"}};
  EXPECT_TRUE(timer(twins::NumberFits, {{"method", "Timeit"}, {"number", 5}}));
  EXPECT_FALSE(timer(twins::NumberFits, {{"method", "BlockedAutorange"}, {"number", 5}}));
  EXPECT_TRUE(timer(twins::MinRunTimeFits, {{"method", "BlockedAutorange"}, {"minRunTime", "5s"}}));
  EXPECT_FALSE(timer(twins::MinRunTimeFits, {{"method", "Timeit"}, {"minRunTime", "5s"}}));
  EXPECT_TRUE(timer(twins::AdaptiveMembersFit, adaptive));
  EXPECT_FALSE(timer(twins::AdaptiveMembersFit, {{"method", "Timeit"}, {"maxRunTime", "5s"}}));
  EXPECT_FALSE(timer(twins::AdaptiveMembersFit, {{"method", "Timeit"}, {"threshold", "0.1"}}));
  const auto in_order = [&](const char* least, const char* most) {
    Json self = adaptive;
    if (*least != '\0') self["minRunTime"] = least;
    if (*most != '\0') self["maxRunTime"] = most;
    return Holds(twins::RunTimesFit, self);
  };
  EXPECT_TRUE(in_order("10s", ""));
  EXPECT_FALSE(in_order("10001ms", ""));
  EXPECT_TRUE(in_order("", "10ms"));
  EXPECT_FALSE(in_order("", "9ms"));
  EXPECT_TRUE(in_order("20s", "20s"));
  for (const char* good : {"1ms", "60m", "1h"}) EXPECT_TRUE(Holds(twins::AtMostAnHour, good));
  for (const char* bad : {"0s", "61m", "1h1ms"}) EXPECT_FALSE(Holds(twins::AtMostAnHour, bad));
  for (const char* good : {"0.1", "1", "0.0001"}) EXPECT_TRUE(Holds(twins::ShareInRange, good));
  for (const char* bad : {"0", "0.0", "1.01"}) EXPECT_FALSE(Holds(twins::ShareInRange, bad));
}

TEST(Rules, BenchmarkNeedsWhatItMeasures) {
  const auto model = [](const char* measure, const Json& model) {
    return Json{{"measure", measure}, {"model", model}};
  };
  const Json package = {{"aotInductor", Json::object()}};
  const Json script = {{"torchScript", Json::object()}};
  const Json classes = {{"torchScript", {{"classes", 2}}}};
  EXPECT_TRUE(Holds(twins::MeasuredCanBeTrained, model("Forward", package)));
  EXPECT_FALSE(Holds(twins::MeasuredCanBeTrained, model("Step", package)));
  EXPECT_TRUE(Holds(twins::MeasuredClassesAreKnown, model("Forward", script)));
  EXPECT_FALSE(Holds(twins::MeasuredClassesAreKnown, model("Backward", script)));
  EXPECT_TRUE(Holds(twins::MeasuredClassesAreKnown, model("Backward", classes)));
  EXPECT_TRUE(Holds(twins::GradModeFits, {{"measure", "Forward"}, {"gradMode", "NoGrad"}}));
  EXPECT_FALSE(Holds(twins::GradModeFits, {{"measure", "Step"}, {"gradMode", "NoGrad"}}));
  EXPECT_TRUE(Holds(twins::GradModeFits, {{"measure", "Step"}}));
  const auto tf32 = [](const char* precision, bool on) {
    return Json{{"precision", precision}, {"backend", {{"tf32", on}}}};
  };
  EXPECT_TRUE(Holds(twins::Tf32IsFp32, tf32("FP32", true)));
  EXPECT_FALSE(Holds(twins::Tf32IsFp32, tf32("BF16", true)));
  EXPECT_TRUE(Holds(twins::Tf32IsFp32, tf32("BF16", false)));
}

TEST(Rules, BenchmarkAtSpec) {
  const auto spec = [](const Json& benchmark, const Json& others) {
    Json self = {{"benchmark", benchmark}};
    self.update(others);
    return self;
  };
  const Json cpu = {{"gpu", {{"perPod", 0}}}};
  EXPECT_FALSE(Holds(twins::BackendHasGpu, spec({{"backend", {{"tf32", true}}}}, cpu)));
  EXPECT_FALSE(Holds(twins::BackendHasGpu, spec({{"backend", {{"cudnnBenchmark", true}}}}, cpu)));
  EXPECT_TRUE(Holds(twins::BackendHasGpu, spec({{"backend", {{"deterministic", true}}}}, cpu)));
  EXPECT_TRUE(Holds(twins::BackendHasGpu, spec({{"backend", {{"tf32", true}}}}, Json::object())));
  EXPECT_FALSE(Holds(twins::BenchmarkEndsByTimer, spec(Json::object(), {{"duration", "1m"}})));
  EXPECT_FALSE(Holds(twins::BenchmarkEndsByTimer, spec(Json::object(), {{"maxIterations", 1}})));
  EXPECT_TRUE(Holds(twins::BenchmarkEndsByTimer, spec(Json::object(), {{"warmup", "1m"}})));
  const Json minute = {{"timer", {{"minRunTime", "1m"}}}};
  EXPECT_TRUE(Holds(twins::TimerFitsTimeouts, spec(minute, {{"timeouts", {{"run", "60s"}}}})));
  EXPECT_FALSE(Holds(twins::TimerFitsTimeouts, spec(minute, {{"timeouts", {{"run", "59s"}}}})));
  EXPECT_FALSE(Holds(twins::TimerFitsTimeouts, spec(minute, {{"timeouts", {{"total", "59s"}}}})));
  EXPECT_TRUE(Holds(twins::TimerFitsTimeouts, spec(minute, {{"timeouts", Json::object()}})));
  const Json warm = {{"timeouts", {{"run", "70s"}}}, {"warmup", "11s"}};
  EXPECT_FALSE(Holds(twins::TimerFitsTimeouts, spec(minute, warm)));
}

TEST(Rules, SizesOfMemory) {
  for (const char* good : {"64Mi", "4Gi", "4Ti", "67108864", "1e9"}) {
    EXPECT_TRUE(Holds(twins::MemorySizeInRange, Json(good))) << good;
  }
  for (const char* bad : {"63Mi", "5Ti", "0", "-4Gi", "4GB", "", "all", "67108863"}) {
    EXPECT_FALSE(Holds(twins::MemorySizeInRange, Json(bad))) << bad;
  }
}

TEST(Rules, LearningRates) {
  for (const char* good : {"1e-3", "0.001", "100", "1e2", "1e-99"}) {
    EXPECT_TRUE(Holds(twins::RateInRange, good)) << good;
  }
  for (const char* bad : {"0", "0.0", "0e5", "100.1", "9e99"}) {
    EXPECT_FALSE(Holds(twins::RateInRange, bad)) << bad;
  }
}

TEST(Rules, Volumes) {
  const Json object = Json::object();
  EXPECT_FALSE(Holds(twins::OneVolumeSource, {{"name", "a"}}));
  for (const char* source : {"configMap", "persistentVolumeClaim", "emptyDir"}) {
    EXPECT_TRUE(Holds(twins::OneVolumeSource, {{source, object}}));
  }
  EXPECT_FALSE(Holds(twins::OneVolumeSource, {{"configMap", object}, {"emptyDir", object}}));
  EXPECT_TRUE(Holds(twins::MountsHaveVolumes, object));
  const Json mounts = {{{"name", "a"}, {"mountPath", "/a"}}};
  EXPECT_FALSE(Holds(twins::MountsHaveVolumes, {{"volumeMounts", mounts}}));
  EXPECT_TRUE(Holds(twins::MountsHaveVolumes,
                    {{"volumeMounts", mounts}, {"volumes", {{{"name", "b"}}, {{"name", "a"}}}}}));
}

TEST(Rules, Transitions) {
  EXPECT_TRUE(Holds(twins::AbortStays, {{"abort", true}}, {{"abort", false}}));
  EXPECT_TRUE(Holds(twins::AbortStays, {{"abort", true}}, {{"abort", true}}));
  EXPECT_FALSE(Holds(twins::AbortStays, {{"abort", false}}, {{"abort", true}}));
  EXPECT_TRUE(Holds(twins::SameMembers, {{"suspend", true}}, Json::object()));
  for (const char* member :
       {"duration", "maxIterations", "warmup", "thresholds", "resources", "pod", "image"}) {
    EXPECT_FALSE(Holds(twins::SameMembers, {{member, 1}}, Json::object())) << member;
    EXPECT_FALSE(Holds(twins::SameMembers, Json::object(), {{member, 1}})) << member;
  }
}

}  // namespace
}  // namespace torchsoak::spec
