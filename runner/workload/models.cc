#include "runner/workload/models.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "runner/workload/scalar_type.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

nn::Sequential Mlp(const contract::ModelSpec& spec) {
  nn::Sequential net;
  std::int64_t width = spec.inputs;
  for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
    net->push_back(nn::Linear(width, spec.hidden));
    net->push_back(nn::ReLU());
    net->push_back(nn::Dropout(spec.dropout));
    width = spec.hidden;
  }
  net->push_back(nn::Linear(width, spec.outputs));
  return net;
}

nn::Sequential ConvNet(const contract::ModelSpec& spec) {
  const auto conv =
      nn::Conv2dOptions(3, spec.channels, spec.kernel).stride(spec.stride).padding(spec.kernel / 2);
  return nn::Sequential(nn::Conv2d(conv), nn::ReLU(),
                        nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)), nn::Flatten(),
                        nn::Linear(spec.channels, spec.classes));
}

}  // namespace

struct Model::Impl {
  nn::Sequential net;
};

std::vector<std::int64_t> SampleShape(const contract::ModelSpec& spec) {
  if (spec.builtin == contract::Builtin::kMlp) return {spec.inputs};
  return {3, spec.image_size, spec.image_size};
}

std::int64_t Classes(const contract::ModelSpec& spec) {
  return spec.builtin == contract::Builtin::kMlp ? spec.outputs : spec.classes;
}

Model::Model(const contract::ModelSpec& spec, contract::Precision precision,
             const std::string& device)
    : impl_(std::make_unique<Impl>(
          Impl{spec.builtin == contract::Builtin::kMlp ? Mlp(spec) : ConvNet(spec)})) {
  impl_->net->to(torch::Device(device), ScalarTypeOf(precision));
}

Model::~Model() = default;

at::Tensor Model::Forward(const at::Tensor& batch) { return impl_->net->forward(batch); }

std::vector<at::Tensor> Model::Parameters() const { return impl_->net->parameters(); }

std::int64_t Model::ParameterCount() const {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : impl_->net->parameters()) count += parameter.numel();
  return count;
}

void Model::SetTraining(bool training) { impl_->net->train(training); }

}  // namespace torchsoak::runner
