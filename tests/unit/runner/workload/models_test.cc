#include "runner/workload/models.h"

#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/workload/seed.h"

namespace torchsoak::runner {
namespace {

using contract::Builtin;
using contract::ModelSpec;
using contract::Precision;

ModelSpec SmallConvNet() {
  ModelSpec spec;
  spec.builtin = Builtin::kConvNet;
  spec.channels = 4;
  spec.kernel = 3;
  spec.image_size = 16;
  spec.classes = 5;
  return spec;
}

TEST(Models, TheDefaultMlpHasTheKnownNumberOfParameters) {
  EXPECT_EQ(Model(ModelSpec{}, Precision::kFp32, "cpu").ParameterCount(), 814'090);
}

TEST(Models, MoreLayersAddHiddenOnes) {
  ModelSpec spec;
  spec.inputs = 8;
  spec.hidden = 4;
  spec.layers = 3;
  spec.outputs = 2;
  EXPECT_EQ(Model(spec, Precision::kFp32, "cpu").ParameterCount(),
            (8 * 4 + 4) + 2 * (4 * 4 + 4) + (4 * 2 + 2));
}

TEST(Models, TheConvNetGivesOneRowOfLogitsPerImage) {
  const ModelSpec spec = SmallConvNet();
  Model model(spec, Precision::kFp32, "cpu");
  EXPECT_EQ(model.ParameterCount(), 4 * 3 * 3 * 3 + 4 + 4 * 5 + 5);
  const at::Tensor logits = model.Forward(at::randn({2, 3, 16, 16}));
  EXPECT_THAT(logits.sizes().vec(), testing::ElementsAre(2, 5));
  EXPECT_THAT(SampleShape(spec), testing::ElementsAre(3, 16, 16));
  EXPECT_EQ(Classes(spec), 5);
}

TEST(Models, TheSeedDecidesTheWeights) {
  const auto weights = [](std::uint64_t seed) {
    SeedEverything(seed);
    return Model(ModelSpec{}, Precision::kFp32, "cpu").Parameters().front();
  };
  EXPECT_TRUE(weights(1).equal(weights(1)));
  EXPECT_FALSE(weights(1).equal(weights(2)));
}

TEST(Models, ACastModelComputesInItsPrecision) {
  Model model(SmallConvNet(), Precision::kBf16, "cpu");
  EXPECT_EQ(model.Forward(at::randn({1, 3, 16, 16}).to(at::kBFloat16)).scalar_type(),
            at::kBFloat16);
}

TEST(Models, DropoutIsOffInEvaluation) {
  Model model(ModelSpec{}, Precision::kFp32, "cpu");
  const at::Tensor input = at::randn({4, 784});
  EXPECT_FALSE(model.Forward(input).equal(model.Forward(input)));
  model.SetTraining(false);
  EXPECT_TRUE(model.Forward(input).equal(model.Forward(input)));
}

}  // namespace
}  // namespace torchsoak::runner
