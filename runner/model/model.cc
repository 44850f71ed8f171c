#include "runner/model/model.h"

#include <torch/nn/module.h>

#include "runner/model/module_model.h"
#include "runner/model/scalar_type.h"

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
  using contract::Builtin;
  switch (spec.builtin) {
    case Builtin::kMlp:
      break;
    case Builtin::kConvNet:
      return MakeConvNet(spec);
    case Builtin::kResNet18:
    case Builtin::kResNet50:
      return MakeResNet(spec);
    case Builtin::kBertBase:
      return MakeBert(spec);
    case Builtin::kDlrm:
      return MakeDlrm(spec);
    case Builtin::kGpt:
      return MakeGpt(spec);
  }
  return MakeMlp(spec);
}

}  // namespace

std::unique_ptr<Model> MakeModel(const contract::ModelSpec& spec, contract::Precision precision,
                                 const std::string& device) {
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
