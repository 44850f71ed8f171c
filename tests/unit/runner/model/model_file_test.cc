#include "runner/model/model_file.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runner/model/loss.h"
#include "runner/model/model.h"
#include "runner/model/samples.h"
#include "tests/fakes/temp_folder.h"

namespace torchsoak::runner {
namespace {

using contract::ModelInput;
using contract::ModelKind;
using contract::ModelSpec;
using contract::Precision;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A file of tests/testdata/models, with the inputs that all of them take.
ModelSpec File(ModelKind kind, const std::string& name) {
  ModelSpec spec;
  spec.kind = kind;
  spec.classes = 0;
  spec.path = TORCHSOAK_TESTDATA "/models/" + name;
  spec.inputs_of_file = {{{12}, ModelInput::Type::kFp32, 2}, {{6}, ModelInput::Type::kInt64, 100}};
  return spec;
}

ModelSpec Script(const std::string& name) { return File(ModelKind::kTorchScript, name); }
ModelSpec Compiled(const std::string& name) { return File(ModelKind::kAotInductor, name); }

std::vector<at::Tensor> Inputs(const ModelSpec& spec, std::int64_t count) {
  at::Generator rng = at::detail::createCPUGenerator(3);
  return RandomInputs(TaskOf(spec), count, rng);
}

std::unique_ptr<Model> Load(const ModelSpec& spec) {
  return MakeModel(spec, Precision::kFp32, "cpu");
}

/// The words with which a file is refused; "" when it is taken.
std::string Refusal(const ModelSpec& spec) {
  try {
    Load(spec);
  } catch (const ModelFileError& e) {
    return e.what();
  }
  return "";
}

TEST(ModelFile, ScriptAndCompiledAnswerTheSame) {
  const auto script = Load(Script("two-inputs.pt"));
  const auto compiled = Load(Compiled("two-inputs.pt2"));
  script->SetTraining(false);
  const auto inputs = Inputs(Script(""), 5);
  const at::Tensor answer = script->Forward(inputs);
  EXPECT_THAT(answer.sizes().vec(), testing::ElementsAre(5, 4));
  EXPECT_TRUE(answer.allclose(compiled->Forward(inputs), 1e-4, 1e-5));
  EXPECT_EQ(CountParameters(*script), 100 * 8 + 20 * 4 + 4);
}

TEST(ModelFile, AScriptIsCastAndTrained) {
  ModelSpec spec = Script("two-inputs.pt");
  spec.classes = 4;
  const auto cast = MakeModel(spec, Precision::kBf16, "cpu");
  EXPECT_EQ(cast->Forward(Placed(Inputs(spec, 2), Precision::kBf16, "cpu")).scalar_type(),
            at::kBFloat16);
  const auto model = Load(spec);
  const auto inputs = Inputs(spec, 8);
  LossOf(Task::Target::kClass, model->Forward(inputs), TargetsOf(TaskOf(spec), inputs)).backward();
  for (const at::Tensor& parameter : model->Parameters()) EXPECT_TRUE(parameter.grad().defined());
}

TEST(ModelFile, ANewerFileNamesFileReaderAndWriter) {
  EXPECT_THAT(Refusal(Script("newer.pt")),
              AllOf(HasSubstr("models/newer.pt"), HasSubstr("version 99"),
                    HasSubstr("read by LibTorch 2.11"), Not(HasSubstr("\n"))));
}

TEST(ModelFile, WeightsAloneAreNoModel) {
  EXPECT_THAT(Refusal(Script("weights-only.pt")),
              AllOf(HasSubstr("holds weights only"), HasSubstr("docs/models.md")));
}

TEST(ModelFile, WhatIsNoModelIsSaid) {
  const fakes::TempFolder folder;
  const auto with = [&](const std::string& bytes) {
    ModelSpec spec = Script("");
    spec.path = (folder.path() / "model.pt").string();
    std::ofstream(spec.path, std::ios::binary) << bytes;
    return Refusal(spec);
  };
  EXPECT_THAT(with(""), HasSubstr("is empty"));
  EXPECT_THAT(with("\x80\x02pickle"), HasSubstr("is a Python pickle, which LibTorch cannot read"));
  EXPECT_THAT(with("<html>"), HasSubstr("is no archive"));
  EXPECT_THAT(with("PK\x03\x04 and no more"), HasSubstr("is cut short or damaged"));
  EXPECT_THAT(Refusal(Script("no-such.pt")),
              AllOf(HasSubstr("no-such.pt: No such file"), HasSubstr("volumeMounts")));
  EXPECT_THAT(Refusal(Script("")), HasSubstr("is not a file"));
}

TEST(ModelFile, OneKindIsNotTheOther) {
  EXPECT_THAT(Refusal(Script("two-inputs.pt2")), HasSubstr("is a .pt2"));
  EXPECT_THAT(Refusal(Compiled("two-inputs.pt")), HasSubstr("is TorchScript"));
}

TEST(ModelFile, DeclaredInputsAreTried) {
  ModelSpec spec = Script("two-inputs.pt");
  spec.inputs_of_file[0].shape = {13};
  EXPECT_THAT(Refusal(spec), AllOf(HasSubstr("mat1 and mat2"), Not(HasSubstr("\n"))));
  spec.inputs_of_file.pop_back();
  EXPECT_THAT(Refusal(spec), HasSubstr("two-inputs.pt"));
  spec = Compiled("two-inputs.pt2");
  spec.inputs_of_file[0].shape = {13};
  EXPECT_NE(Refusal(spec), "");
  spec = Script("two-inputs.pt");
  spec.classes = 7;
  EXPECT_THAT(Refusal(spec), HasSubstr("[ 1 4 ]; classes says 7"));
}

}  // namespace
}  // namespace torchsoak::runner
