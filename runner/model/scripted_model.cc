#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "runner/device/scalar_type.h"
#include "runner/model/file_models.h"
#include "runner/model/model_file.h"

namespace torchsoak::runner {
namespace {

/// Models answer with a tensor, or with a tuple, list or dictionary whose first entry is the
/// answer.
at::Tensor FirstTensor(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor();
  if (value.isTuple() && !value.toTupleRef().elements().empty()) {
    return FirstTensor(value.toTupleRef().elements()[0]);
  }
  if (value.isTensorList() && value.toTensorList().size() > 0) return value.toTensorList().get(0);
  if (value.isList() && !value.toListRef().empty()) return FirstTensor(value.toListRef().front());
  if (value.isGenericDict() && !value.toGenericDict().empty()) {
    return FirstTensor(value.toGenericDict().begin()->value());
  }
  throw ModelFileError("the model answers with " + value.tagKind() +
                       "; a tensor, or a tuple, list or dictionary of tensors is needed");
}

class ScriptedModel final : public Model {
 public:
  ScriptedModel(const std::string& path, c10::ScalarType type, const std::string& device)
      : module_(torch::jit::load(path, c10::Device(device))) {
    for (at::Tensor parameter : module_.parameters()) parameter.set_data(parameter.to(type));
    for (at::Tensor buffer : module_.buffers()) {
      if (buffer.is_floating_point()) buffer.set_data(buffer.to(type));
    }
  }

  at::Tensor Forward(const std::vector<at::Tensor>& inputs) override {
    return FirstTensor(module_.forward({inputs.begin(), inputs.end()}));
  }

  std::vector<at::Tensor> Parameters() const override {
    std::vector<at::Tensor> parameters;
    for (const at::Tensor& parameter : module_.parameters()) parameters.push_back(parameter);
    return parameters;
  }

  void SetTraining(bool training) override { module_.train(training); }

 private:
  torch::jit::Module module_;
};

}  // namespace

std::unique_ptr<Model> LoadTorchScript(const std::string& path, contract::Precision precision,
                                       const std::string& device) {
  return std::make_unique<ScriptedModel>(path, ScalarTypeOf(precision), device);
}

}  // namespace torchsoak::runner
