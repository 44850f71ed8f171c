#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "runner/model/module_model.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

class ConvNet final : public Architecture {
 public:
  explicit ConvNet(const contract::ModelSpec& spec) {
    const auto conv = nn::Conv2dOptions(3, spec.channels, spec.kernel)
                          .stride(spec.stride)
                          .padding(spec.kernel / 2);
    net_ = nn::Sequential(nn::Conv2d(conv), nn::ReLU(),
                          nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)), nn::Flatten(),
                          nn::Linear(spec.channels, spec.classes));
    register_module("net", net_);
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    return net_->forward(inputs.front());
  }

 private:
  nn::Sequential net_{nullptr};
};

}  // namespace

std::shared_ptr<Architecture> MakeConvNet(const contract::ModelSpec& spec) {
  return std::make_shared<ConvNet>(spec);
}

}  // namespace torchsoak::runner
