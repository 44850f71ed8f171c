#include "runner/model/model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "runner/model/loss.h"
#include "runner/model/samples.h"
#include "runner/workload/seed.h"

namespace torchsoak::runner {
namespace {

using contract::ModelKind;
using contract::ModelSpec;
using contract::Precision;
using contract::UsualSizes;

std::int64_t Count(const ModelSpec& spec) {
  return CountParameters(*MakeModel(spec, Precision::kFp32, "cpu"));
}

/// One that is built and asked in milliseconds.
ModelSpec Small(ModelKind builtin) {
  ModelSpec spec = UsualSizes(builtin);
  spec.inputs = 12;
  spec.hidden = 16;
  spec.layers = 2;
  spec.outputs = 4;
  spec.channels = 4;
  spec.kernel = 3;
  spec.image_size = 16;
  spec.classes = 5;
  spec.sequence = 6;
  spec.vocabulary = 40;
  spec.heads = 4;
  spec.dense = 3;
  spec.tables = 4;
  spec.rows = 50;
  return spec;
}

// As published: torchvision's tables for the ResNets; the uncased BERT base with a classifier of
// two; GPT-2 small; DLRM's MLPs for Criteo Kaggle (155,984 and 320,001) and 26 tables of 10,000.
TEST(Model, HasThePublishedNumberOfParameters) {
  EXPECT_EQ(Count(UsualSizes(ModelKind::kMlp)), 814'090);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kConvNet)), 3 * 64 * 7 * 7 + 64 + 64 * 1000 + 1000);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kResNet18)), 11'689'512);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kResNet50)), 25'557'032);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kBertBase)), 109'482'240 + 2 * 768 + 2);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kGpt)), 124'439'808);
  EXPECT_EQ(Count(UsualSizes(ModelKind::kDlrm)), 155'984 + 320'001 + 26 * 10'000 * 16);
}

TEST(Model, MoreLayersAddHiddenOnes) {
  ModelSpec spec;
  spec.inputs = 8;
  spec.hidden = 4;
  spec.layers = 3;
  spec.outputs = 2;
  EXPECT_EQ(Count(spec), (8 * 4 + 4) + 2 * (4 * 4 + 4) + (4 * 2 + 2));
}

TEST(Model, TheSeedDecidesTheWeights) {
  const auto weights = [](std::uint64_t seed) {
    SeedEverything(seed);
    return MakeModel(ModelSpec{}, Precision::kFp32, "cpu")->Parameters().front();
  };
  EXPECT_TRUE(weights(1).equal(weights(1)));
  EXPECT_FALSE(weights(1).equal(weights(2)));
}

class EveryModel : public testing::TestWithParam<ModelKind> {
 protected:
  EveryModel() { SeedEverything(7); }

  std::vector<at::Tensor> Inputs(std::int64_t count) {
    at::Generator rng = at::detail::createCPUGenerator(3);
    return RandomInputs(task_, count, rng);
  }

  const ModelSpec spec_ = Small(GetParam());
  const Task task_ = TaskOf(spec_);
};

TEST_P(EveryModel, AnswersWithTheLogitsOfItsTask) {
  const auto model = MakeModel(spec_, Precision::kFp32, "cpu");
  const auto inputs = Inputs(3);
  ASSERT_EQ(inputs.size(), task_.inputs.size());
  const at::Tensor logits = model->Forward(inputs);
  const at::Tensor targets = TargetsOf(task_, inputs);
  EXPECT_EQ(logits.size(0), 3);
  EXPECT_EQ(targets.size(0), 3);
  if (task_.target == Task::Target::kYesNo) {
    EXPECT_EQ(logits.dim(), 1);
  } else {
    EXPECT_EQ(logits.size(-1), task_.classes);
    EXPECT_LT(targets.max().item<std::int64_t>(), task_.classes);
  }
  // Nothing is known yet: about as bad as guessing.
  const double guess = std::log(static_cast<double>(task_.classes));
  EXPECT_NEAR(LossOf(task_.target, logits, targets).item<double>(), guess, 0.8 * guess + 0.5);
}

TEST_P(EveryModel, ComputesInItsPrecision) {
  const auto model = MakeModel(spec_, Precision::kBf16, "cpu");
  auto inputs = Inputs(2);
  for (at::Tensor& input : inputs) {
    if (input.is_floating_point()) input = input.to(at::kBFloat16);
  }
  const at::Tensor logits = model->Forward(inputs);
  EXPECT_EQ(logits.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(logits.isfinite().all().item<bool>());
}

TEST_P(EveryModel, EveryParameterLearns) {
  const auto model = MakeModel(spec_, Precision::kFp32, "cpu");
  const auto inputs = Inputs(8);
  LossOf(task_.target, model->Forward(inputs), TargetsOf(task_, inputs)).backward();
  for (const at::Tensor& parameter : model->Parameters()) {
    ASSERT_TRUE(parameter.grad().defined()) << parameter.sizes();
    EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
  }
}

TEST_P(EveryModel, IsTheSameTwiceInEvaluation) {
  const auto model = MakeModel(spec_, Precision::kFp32, "cpu");
  const auto inputs = Inputs(4);
  model->SetTraining(false);
  EXPECT_TRUE(model->Forward(inputs).equal(model->Forward(inputs)));
}

TEST_P(EveryModel, TakesASingleSample) {
  const auto model = MakeModel(spec_, Precision::kFp32, "cpu");
  EXPECT_TRUE(model->Forward(Inputs(1)).isfinite().all().item<bool>());
}

std::string NameOf(const testing::TestParamInfo<ModelKind>& info) {
  return std::string(contract::ToString(info.param));
}

INSTANTIATE_TEST_SUITE_P(Builtins, EveryModel,
                         testing::Values(ModelKind::kMlp, ModelKind::kConvNet, ModelKind::kResNet18,
                                         ModelKind::kResNet50, ModelKind::kBertBase,
                                         ModelKind::kDlrm, ModelKind::kGpt),
                         NameOf);

TEST(Model, DropoutIsOnInTraining) {
  for (const ModelKind builtin : {ModelKind::kMlp, ModelKind::kBertBase, ModelKind::kGpt}) {
    ModelSpec spec = Small(builtin);
    spec.dropout = 0.5;
    const auto model = MakeModel(spec, Precision::kFp32, "cpu");
    at::Generator rng = at::detail::createCPUGenerator(3);
    const auto inputs = RandomInputs(TaskOf(spec), 4, rng);
    EXPECT_FALSE(model->Forward(inputs).equal(model->Forward(inputs)));
  }
}

TEST(Model, GptSeesNoTokenThatIsToCome) {
  const ModelSpec spec = Small(ModelKind::kGpt);
  const auto model = MakeModel(spec, Precision::kFp32, "cpu");
  model->SetTraining(false);
  at::Generator rng = at::detail::createCPUGenerator(3);
  auto inputs = RandomInputs(TaskOf(spec), 1, rng);
  const at::Tensor before = model->Forward(inputs);
  inputs[0].select(1, 4).fill_(0).add_(1);
  const at::Tensor after = model->Forward(inputs);
  EXPECT_TRUE(before.narrow(1, 0, 4).equal(after.narrow(1, 0, 4)));
  EXPECT_FALSE(before.select(1, 5).equal(after.select(1, 5)));
}

TEST(Samples, MostTokensFollowFromTheOneBefore) {
  const Task task{{{{200}, 50}}, Task::Target::kNextToken, 50};
  at::Generator rng = at::detail::createCPUGenerator(1);
  const auto text = RandomInputs(task, 50, rng);
  const at::Tensor next = TargetsOf(task, text);
  EXPECT_TRUE(next.narrow(1, 0, 199).equal(text[0].narrow(1, 1, 199)));
  const double share =
      next.eq(text[0].mul(31).add(7).remainder(50)).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(share, 0.75, 0.05);
}

TEST(Samples, TheTeacherIsTheSameForEverySeed) {
  const Task task{{{{3}, 0}, {{4}, 9}}, Task::Target::kYesNo, 2};
  at::Generator rng = at::detail::createCPUGenerator(1);
  const auto inputs = RandomInputs(task, 500, rng);
  const at::Tensor answers = TargetsOf(task, inputs);
  EXPECT_TRUE(answers.equal(TargetsOf(task, inputs)));
  EXPECT_NEAR(answers.mean().item<double>(), 0.5, 0.35) << "both answers come";
}

}  // namespace
}  // namespace torchsoak::runner
