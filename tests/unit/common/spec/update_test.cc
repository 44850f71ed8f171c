// What may change in a stored StressTest.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/spec/load.h"

namespace torchsoak::spec {
namespace {

Json Stored() {
  const auto loaded = LoadStressTest(R"(
apiVersion: torchsoak.dev/v1alpha1
kind: StressTest
metadata: {name: a-test}
spec:
  mode: Training
  training: {checks: [FiniteLoss, LossDecreases]}
  duration: 10m
  maxIterations: 100
  thresholds:
  - {name: a, metric: training.loss, max: "1"}
  - {name: b, metric: training.stepTime, max: 1s}
  pod:
    tolerations: [{key: a}, {key: b}]
)");
  EXPECT_TRUE(loaded) << (loaded ? "" : Describe("", loaded.error()));
  return loaded ? *loaded : Json();
}

Json With(const char* pointer, const Json& value) {
  Json object = Stored();
  object[Json::json_pointer(pointer)] = value;
  return object;
}

Json Without(const char* parent, const char* key) {
  Json object = Stored();
  object[Json::json_pointer(parent)].erase(key);
  return object;
}

TEST(Update, WhatMayChange) {
  const Json cases[] = {
      Stored(),
      With("/spec/suspend", true),
      With("/spec/abort", true),
      With("/spec/timeouts/run", "5h"),
      With("/spec/timeouts/total", "5h"),
      With("/spec/retention/ttlAfterPassed", "24h"),
      With("/metadata/labels", {{"a", "b"}}),
      With("/spec/training/checks", {"LossDecreases", "FiniteLoss"}),  // a set
      With("/spec/thresholds",
           {Stored()["spec"]["thresholds"][1], Stored()["spec"]["thresholds"][0]}),  // a map
  };
  for (const Json& object : cases) {
    const auto loaded = ValidateUpdate(Stored(), object);
    EXPECT_TRUE(loaded) << object
                        << Describe("", loaded ? std::vector<FieldError>() : loaded.error());
  }
}

TEST(Update, WhatMayNot) {
  struct Case {
    Json object;
    const char* field;
    const char* message;
  };
  const Case cases[] = {
      {With("/spec/training/batchSize", 64), "spec.training",
       "training is immutable: create a new StressTest"},
      {With("/spec/duration", "20m"), "spec.duration",
       "duration is immutable: create a new StressTest"},
      {With("/spec/maxIterations", 200), "spec.maxIterations",
       "maxIterations is immutable: create a new StressTest"},
      {With("/spec/seed", 1), "spec.seed", "seed is immutable: create a new StressTest"},
      {With("/spec/gpu/perPod", 2), "spec.gpu", "gpu is immutable: create a new StressTest"},
      {With("/spec/thresholds/0/max", "2"), "spec.thresholds",
       "thresholds are immutable: create a new StressTest"},
      {With("/spec/pod/tolerations", {{{"key", "b"}}, {{"key", "a"}}}),
       "spec.pod",  // an atomic list has an order
       "pod is immutable: create a new StressTest"},
      {With("/spec/image", "x"), "spec",
       "a StressTest's measurement is immutable: create a new one"},
      {With("/spec/warmup", "1s"), "spec",
       "a StressTest's measurement is immutable: create a new one"},
      {Without("/spec", "duration"), "spec",
       "a StressTest's measurement is immutable: create a new one"},
      {Without("/spec", "thresholds"), "spec",
       "a StressTest's measurement is immutable: create a new one"},
  };
  for (const Case& c : cases) {
    const auto loaded = ValidateUpdate(Stored(), c.object);
    ASSERT_FALSE(loaded) << c.field;
    EXPECT_TRUE(std::any_of(loaded.error().begin(), loaded.error().end(), [&](const FieldError& e) {
      return e.field == c.field && e.message == c.message;
    })) << Describe("", loaded.error());
  }
}

TEST(Update, AbortCannotBeTakenBack) {
  const auto loaded = ValidateUpdate(With("/spec/abort", true), Stored());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error()[0].field, "spec.abort");
  EXPECT_EQ(loaded.error()[0].message, "abort cannot be taken back");
}

TEST(Update, AFinishedTestKeepsPhaseAndVerdict) {
  const auto status = [](const Json& status) { return With("/status", status); };
  const Json passed = status({{"phase", "Finished"}, {"verdict", "Passed"}});
  EXPECT_TRUE(ValidateUpdate(passed, passed));
  EXPECT_TRUE(ValidateUpdate(status({{"phase", "Running"}}), passed));
  EXPECT_TRUE(ValidateUpdate(Stored(), passed));
  EXPECT_TRUE(ValidateUpdate(
      passed, status({{"phase", "Finished"}, {"verdict", "Passed"}, {"message", "more"}})));
  for (const Json& object :
       {status({{"phase", "Finished"}, {"verdict", "Failed"}}), status({{"phase", "Running"}}),
        status({{"phase", "Finished"}}), status(Json::object()), Stored()}) {
    const auto loaded = ValidateUpdate(passed, object);
    ASSERT_FALSE(loaded) << object["status"];
    EXPECT_EQ(loaded.error()[0].message, "a Finished StressTest keeps its phase and verdict");
    EXPECT_EQ(loaded.error()[0].field, "status");
  }
}

}  // namespace
}  // namespace torchsoak::spec
