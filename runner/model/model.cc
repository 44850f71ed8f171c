#include "runner/model/model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/InferenceMode.h>
#include <torch/nn/module.h>

#include <exception>

#include "runner/device/scalar_type.h"
#include "runner/model/file_models.h"
#include "runner/model/model_file.h"
#include "runner/model/module_model.h"
#include "runner/model/samples.h"

namespace torchsoak::runner {
namespace {

class ModuleModel final : public Model {
 public:
  explicit ModuleModel(std::shared_ptr<Architecture> net) : net_(std::move(net)) {}

  at::Tensor Forward(const std::vector<at::Tensor>& inputs) override {
    return net_->forward(inputs);
  }
  std::vector<at::Tensor> Parameters() const override { return net_->parameters(); }
  void SetTraining(bool training) override { net_->train(training); }

 private:
  std::shared_ptr<Architecture> net_;
};

std::shared_ptr<Architecture> MakeArchitecture(const contract::ModelSpec& spec) {
  using contract::ModelKind;
  switch (spec.kind) {
    case ModelKind::kMlp:
      break;
    case ModelKind::kConvNet:
      return MakeConvNet(spec);
    case ModelKind::kResNet18:
    case ModelKind::kResNet50:
      return MakeResNet(spec);
    case ModelKind::kBertBase:
      return MakeBert(spec);
    case ModelKind::kDlrm:
      return MakeDlrm(spec);
    case ModelKind::kGpt:
      return MakeGpt(spec);
    case ModelKind::kTorchScript:
    case ModelKind::kAotInductor:
      break;  // LoadFile
  }
  return MakeMlp(spec);
}

/// A batch of the declared inputs: a wrong declaration is the spec's fault, and no crash in the
/// middle of a run.
void TryOut(const contract::ModelSpec& spec, contract::Precision precision,
            const std::string& device, std::int64_t batch, Model& model) {
  const c10::InferenceMode no_gradients;
  at::Generator rng = at::detail::createCPUGenerator(0);
  const auto inputs = Placed(RandomInputs(TaskOf(spec), batch, rng), precision, device);
  model.SetTraining(false);  // a single sample has no statistics of a batch
  const at::Tensor answer = model.Forward(inputs);
  model.SetTraining(true);
  if (spec.classes > 0 && (answer.dim() != 2 || answer.size(1) != spec.classes)) {
    std::string shape;
    for (const std::int64_t size : answer.sizes()) shape += " " + std::to_string(size);
    throw ModelFileError("model file " + spec.path + " answers with the shape [" + shape +
                         " ]; classes says " + std::to_string(spec.classes) +
                         ", and a batch is answered with [n classes]");
  }
}

std::unique_ptr<Model> LoadFile(const contract::ModelSpec& spec, contract::Precision precision,
                                const std::string& device, std::int64_t batch) {
  CheckModelFile(spec);
  try {
    auto model = spec.kind == contract::ModelKind::kTorchScript
                     ? LoadTorchScript(spec.path, precision, device)
                     : LoadAotInductor(spec.path, device);
    TryOut(spec, precision, device, batch, *model);
    return model;
  } catch (const ModelFileError&) {
    throw;
  } catch (const std::exception& e) {
    throw ModelFileError(DescribeModelProblem(spec, e.what()));
  }
}

}  // namespace

std::unique_ptr<Model> MakeModel(const contract::ModelSpec& spec, contract::Precision precision,
                                 const std::string& device, std::int64_t batch) {
  if (contract::IsFile(spec.kind)) return LoadFile(spec, precision, device, batch);
  auto net = MakeArchitecture(spec);
  net->to(torch::Device(device));
  // Module::to with a type would cast indices, too.
  const c10::ScalarType type = ScalarTypeOf(precision);
  for (at::Tensor& parameter : net->parameters()) parameter.set_data(parameter.to(type));
  for (at::Tensor& buffer : net->buffers()) {
    if (buffer.is_floating_point()) buffer.set_data(buffer.to(type));
  }
  return std::make_unique<ModuleModel>(std::move(net));
}

std::int64_t CountParameters(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.Parameters()) count += parameter.numel();
  return count;
}

}  // namespace torchsoak::runner
