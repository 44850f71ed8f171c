#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include "runner/model/module_model.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

class Mlp final : public Architecture {
 public:
  explicit Mlp(const contract::ModelSpec& spec) {
    std::int64_t width = spec.inputs;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
      net_->push_back(nn::Linear(width, spec.hidden));
      net_->push_back(nn::ReLU());
      net_->push_back(nn::Dropout(spec.dropout));
      width = spec.hidden;
    }
    net_->push_back(nn::Linear(width, spec.outputs));
    register_module("net", net_);
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    return net_->forward(inputs.front());
  }

 private:
  nn::Sequential net_;
};

}  // namespace

std::shared_ptr<Architecture> MakeMlp(const contract::ModelSpec& spec) {
  return std::make_shared<Mlp>(spec);
}

}  // namespace torchsoak::runner
