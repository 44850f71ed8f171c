#include "operator/stresstest/job_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contract/names.h"
#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

using testing::HasSubstr;

Json Build(const Json& changes = Json::object()) {
  World world;
  world.spec().merge_patch(changes);
  const auto spec = contract::ParseSpec(world.spec());
  EXPECT_TRUE(spec) << spec.error().message;
  const auto job = BuildJob(world.observed.test, *spec, 1, "torchsoak/runner:1");
  EXPECT_TRUE(job) << job.error().message;
  return *job;
}

const Json& PodOf(const Json& job) { return *Find(job, {"spec", "template", "spec"}); }
const Json& RunnerOf(const Json& job) { return PodOf(job)["containers"][0]; }

TEST(JobBuilder, OneAttemptIsAtMostOnePod) {
  const Json job = Build();
  EXPECT_EQ(job["spec"]["backoffLimit"], 0);
  EXPECT_EQ(job["spec"]["podReplacementPolicy"], "Failed");
  for (const Json& rule : job["spec"]["podFailurePolicy"]["rules"]) {
    EXPECT_EQ(rule["action"], "FailJob");
  }
  EXPECT_EQ(PodOf(job)["restartPolicy"], "Never");
  const Json& owner = job["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["uid"], "uid-1");
  EXPECT_EQ(owner["controller"], true);
}

TEST(JobBuilder, PassesTheRestrictedProfileWithoutAToken) {
  const Json job = Build();
  EXPECT_EQ(PodOf(job)["automountServiceAccountToken"], false);
  EXPECT_EQ(PodOf(job)["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(PodOf(job)["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  const Json& security = RunnerOf(job)["securityContext"];
  EXPECT_EQ(security["allowPrivilegeEscalation"], false);
  EXPECT_EQ(security["readOnlyRootFilesystem"], true);
  EXPECT_EQ(security["capabilities"]["drop"], Json::array({"ALL"}));
}

TEST(JobBuilder, LimitsThePodToTheGpusAskedFor) {
  const Json job = Build({{"gpu", {{"perPod", 2}}}});
  EXPECT_EQ(RunnerOf(job)["resources"]["limits"]["nvidia.com/gpu"], "2");
  EXPECT_EQ(RunnerOf(job)["resources"]["requests"]["nvidia.com/gpu"], "2");
  EXPECT_EQ(PodOf(job)["tolerations"][0]["key"], "nvidia.com/gpu");
}

TEST(JobBuilder, ACpuRunSeesNoGpu) {
  const Json job = Build();
  EXPECT_FALSE(RunnerOf(job).contains("resources"));
  EXPECT_FALSE(PodOf(job).contains("tolerations"));
  EXPECT_THAT(DumpJson(RunnerOf(job)["env"]),
              HasSubstr(R"("NVIDIA_VISIBLE_DEVICES","value":"void")"));
}

TEST(JobBuilder, CarriesThePodOptions) {
  const Json job = Build({{"pod",
                           {{"nodeSelector", {{"zone", "a"}}},
                            {"runtimeClassName", "nvidia"},
                            {"labels", {{"team", "x"}}},
                            {"env", Json::array({Json{{"name", "A"}, {"value", "no"}}})},
                            {"shmSize", "1Gi"}}},
                          {"resources", {{"memory", "4Gi"}, {"extended", {{"rdma/hca", "1"}}}}}});
  EXPECT_EQ(PodOf(job)["nodeSelector"]["zone"], "a");
  EXPECT_EQ(PodOf(job)["runtimeClassName"], "nvidia");
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["team"], "x");
  EXPECT_EQ(RunnerOf(job)["env"][0]["value"], "no");
  EXPECT_EQ(RunnerOf(job)["resources"]["limits"]["rdma/hca"], "1");
  EXPECT_EQ(PodOf(job)["volumes"][0]["emptyDir"]["sizeLimit"], "1Gi");
}

TEST(JobBuilder, SharedMemoryFollowsTheMemoryLimit) {
  contract::Spec spec;
  EXPECT_EQ(ShmSize(spec), "64Mi");
  spec.memory = "4Gi";
  EXPECT_EQ(ShmSize(spec), "2048Mi");
  spec.memory = "64Gi";
  EXPECT_EQ(ShmSize(spec), "8192Mi");
  spec.pod["shmSize"] = "16Mi";
  EXPECT_EQ(ShmSize(spec), "16Mi");
}

TEST(JobBuilder, TellsTheRunnerWhatToDo) {
  const Json job = Build();
  std::string run;
  for (const Json& variable : RunnerOf(job)["env"]) {
    if (variable["name"] == contract::kEnvRun) run = variable["value"];
  }
  const auto decoded = contract::DecodeRunSpec(run);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->test, "t");
  EXPECT_EQ(decoded->uid, "uid-1");
  EXPECT_EQ(decoded->attempt, 1);
}

}  // namespace
}  // namespace torchsoak::stresstest
