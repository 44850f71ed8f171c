#pragma once
// A torch::nn::Module as a Model, and the makers of the built-in ones. Private to this folder: the
// headers of torch::nn are the slowest to compile of all.

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

#include "common/contract/models.h"
#include "runner/model/model.h"

namespace torchsoak::runner {

/// A module that says what it makes of a batch.
class Architecture : public torch::nn::Module {
 public:
  virtual at::Tensor forward(const std::vector<at::Tensor>& inputs) = 0;
};

// Each with the initial weights of its publication, or of PyTorch's own module where that says
// nothing else.
std::shared_ptr<Architecture> MakeMlp(const contract::ModelSpec& spec);
std::shared_ptr<Architecture> MakeConvNet(const contract::ModelSpec& spec);
std::shared_ptr<Architecture> MakeResNet(const contract::ModelSpec& spec);
std::shared_ptr<Architecture> MakeBert(const contract::ModelSpec& spec);
std::shared_ptr<Architecture> MakeGpt(const contract::ModelSpec& spec);
std::shared_ptr<Architecture> MakeDlrm(const contract::ModelSpec& spec);

}  // namespace torchsoak::runner
