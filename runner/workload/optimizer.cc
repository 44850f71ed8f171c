#include "runner/workload/optimizer.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <utility>

namespace torchsoak::runner {
namespace {

// PyTorch's defaults (torch.optim.Adam, AdamW).
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;
constexpr double kAdamWDecay = 1e-2;

std::unique_ptr<torch::optim::Optimizer> MakePlain(const contract::TrainingSpec& spec,
                                                   std::vector<at::Tensor> parameters) {
  const double rate = spec.learning_rate;
  switch (spec.optimizer) {
    case contract::Optimizer::kSgd:
      return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                                 torch::optim::SGDOptions(rate));
    case contract::Optimizer::kAdamW:
      return std::make_unique<torch::optim::AdamW>(std::move(parameters),
                                                   torch::optim::AdamWOptions(rate));
    case contract::Optimizer::kAdam:
      break;
  }
  return std::make_unique<torch::optim::Adam>(std::move(parameters),
                                              torch::optim::AdamOptions(rate));
}

class Plain final : public Optimizer {
 public:
  Plain(const contract::TrainingSpec& spec, std::vector<at::Tensor> parameters)
      : optimizer_(MakePlain(spec, std::move(parameters))) {}

  void Step() override { optimizer_->step(); }
  void DropGradients() override { optimizer_->zero_grad(/*set_to_none=*/true); }

 private:
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

class Fused final : public Optimizer {
 public:
  Fused(const contract::TrainingSpec& spec, std::vector<at::Tensor> parameters)
      : kind_(spec.optimizer), rate_(spec.learning_rate), parameters_(std::move(parameters)) {}

  void Step() override {
    const at::NoGradGuard no_gradients;
    Collect();
    if (with_gradient_.empty()) return;
    if (kind_ == contract::Optimizer::kSgd) {
      at::_fused_sgd_(with_gradient_, gradients_, {}, 0, 0, rate_, 0, false, false, true);
    } else {
      at::_foreach_add_(steps_, 1);
      if (kind_ == contract::Optimizer::kAdamW) {
        at::_fused_adamw_(with_gradient_, gradients_, means_, squares_, {}, steps_, rate_, kBeta1,
                          kBeta2, kAdamWDecay, kEps, false, false);
      } else {
        at::_fused_adam_(with_gradient_, gradients_, means_, squares_, {}, steps_, rate_, kBeta1,
                         kBeta2, 0, kEps, false, false);
      }
    }
    gradients_.clear();
  }

  void DropGradients() override {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  }

 private:
  /// The first step decides which parameters are trained: those that got a gradient.
  void Collect() {
    if (with_gradient_.empty()) {
      for (const at::Tensor& parameter : parameters_) {
        if (!parameter.grad().defined()) continue;
        with_gradient_.push_back(parameter);
        if (kind_ == contract::Optimizer::kSgd) continue;
        means_.push_back(at::zeros_like(parameter));
        squares_.push_back(at::zeros_like(parameter));
        steps_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
      }
    }
    for (const at::Tensor& parameter : with_gradient_) gradients_.push_back(parameter.grad());
  }

  contract::Optimizer kind_;
  double rate_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> with_gradient_;
  std::vector<at::Tensor> gradients_;  ///< of the present step
  std::vector<at::Tensor> means_;
  std::vector<at::Tensor> squares_;
  std::vector<at::Tensor> steps_;
};

}  // namespace

std::unique_ptr<Optimizer> MakeOptimizer(const contract::TrainingSpec& spec,
                                         std::vector<at::Tensor> parameters) {
  if (spec.fused) return std::make_unique<Fused>(spec, std::move(parameters));
  return std::make_unique<Plain>(spec, std::move(parameters));
}

}  // namespace torchsoak::runner
