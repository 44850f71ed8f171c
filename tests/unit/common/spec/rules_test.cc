// Each twin on the good and the bad side of its rule; the files of tests/testdata/invalid have one
// example each, here are the borders.

#include "common/spec/rules.h"

#include <gtest/gtest.h>

#include <string>

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
  for (const char* good : {"2.7Gi", "1.2Gi", "0.5", "500m", "1Ti", "1e3", "1E", "100M", "128974848",
                           "1.5e9", "16Ei", "+1", ".5", "5."}) {
    EXPECT_TRUE(Holds(twins::QuantityAboveZero, good)) << good;
  }
  for (const char* bad : {"0", "-1Gi", "1 Gi", "1gb", "1GiB", "", "0.0", "x"}) {
    EXPECT_FALSE(Holds(twins::QuantityAboveZero, bad)) << bad;
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

TEST(Rules, NamesOfTheOperator) {
  EXPECT_TRUE(Holds(twins::SecretName, "torchsoak-registry"));
  EXPECT_FALSE(Holds(twins::SecretName, "my-torchsoak-registry"));
  EXPECT_TRUE(Holds(twins::VolumeNameIsFree, "torchsoak"));
  EXPECT_FALSE(Holds(twins::VolumeNameIsFree, "torchsoak-x"));
  EXPECT_FALSE(Holds(twins::EnvIsFree, "TORCHSOAK_"));
  EXPECT_TRUE(Holds(twins::EnvIsFree, "TORCHSOAK"));
  for (const char* path : {"/dev/shm", "/tmp", "/dev/termination-log", "/dev/termination-log/x"}) {
    EXPECT_FALSE(Holds(twins::MountIsFree, path)) << path;
  }
  for (const char* path : {"/dev/shm2", "/tmp/x", "/data"})
    EXPECT_TRUE(Holds(twins::MountIsFree, path)) << path;
  for (const char* label :
       {"torchsoak.dev/x", "app.kubernetes.io/name", "batch.kubernetes.io/job-name"}) {
    EXPECT_FALSE(Holds(twins::LabelsAreFree, {{label, "x"}})) << label;
  }
  EXPECT_TRUE(Holds(twins::LabelsAreFree, {{"team", "x"}, {"x.torchsoak.dev/a", "y"}}));
}

TEST(Rules, Volumes) {
  const Json object = Json::object();
  EXPECT_FALSE(Holds(twins::OneVolumeSource, {{"name", "a"}}));
  for (const char* source : {"configMap", "persistentVolumeClaim", "emptyDir"}) {
    EXPECT_TRUE(Holds(twins::OneVolumeSource, {{source, object}}));
  }
  EXPECT_FALSE(Holds(twins::OneVolumeSource, {{"configMap", object}, {"emptyDir", object}}));
}

TEST(Rules, Transitions) {
  EXPECT_TRUE(Holds(twins::AbortStays, {{"abort", true}}, {{"abort", false}}));
  EXPECT_TRUE(Holds(twins::AbortStays, {{"abort", true}}, {{"abort", true}}));
  EXPECT_FALSE(Holds(twins::AbortStays, {{"abort", false}}, {{"abort", true}}));
  EXPECT_TRUE(Holds(twins::SameMembers, {{"suspend", true}}, Json::object()));
  for (const char* member : {"training", "inference", "preflight", "duration", "maxIterations",
                             "warmup", "thresholds", "resources", "pod", "image"}) {
    EXPECT_FALSE(Holds(twins::SameMembers, {{member, 1}}, Json::object())) << member;
    EXPECT_FALSE(Holds(twins::SameMembers, Json::object(), {{member, 1}})) << member;
  }
}

}  // namespace
}  // namespace torchsoak::spec
