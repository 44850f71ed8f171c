// Deep residual networks: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition",
// 2015, in the form that most people measure: a bottleneck strides in its 3 × 3 convolution.

#include <ATen/Context.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/relu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <string>

#include "runner/model/module_model.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

/// Convolution without bias, and the normalisation that has one.
class Unit final : public nn::Module {
 public:
  Unit(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride)
      : conv_(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false)),
        norm_(nn::BatchNorm2dOptions(out)) {
    register_module("conv", conv_);
    register_module("norm", norm_);
    nn::init::kaiming_normal_(conv_->weight, 0, torch::kFanOut, torch::kReLU);
  }

  at::Tensor Apply(const at::Tensor& x) {
    // Not the module's own forward: it refuses one value a channel, which the last batch of an
    // epoch of small images may have.
    return at::batch_norm(conv_->forward(x), norm_->weight, norm_->bias, norm_->running_mean,
                          norm_->running_var, is_training(), *norm_->options.momentum(),
                          norm_->options.eps(), at::globalContext().userEnabledCuDNN());
  }

 private:
  nn::Conv2d conv_;
  nn::BatchNorm2d norm_;
};

/// Units one after another, added to what came in: two of 3 × 3, or a bottleneck of three.
class Block final : public nn::Module {
 public:
  Block(std::int64_t in, std::int64_t width, std::int64_t stride, bool bottleneck)
      : out_(bottleneck ? 4 * width : width) {
    if (bottleneck) {
      Add(std::make_shared<Unit>(in, width, 1, 1));
      Add(std::make_shared<Unit>(width, width, 3, stride));
      Add(std::make_shared<Unit>(width, out_, 1, 1));
    } else {
      Add(std::make_shared<Unit>(in, width, 3, stride));
      Add(std::make_shared<Unit>(width, width, 3, 1));
    }
    if (stride != 1 || in != out_) {
      shortcut_ = register_module("shortcut", std::make_shared<Unit>(in, out_, 1, stride));
    }
  }

  at::Tensor Apply(const at::Tensor& x) {
    at::Tensor y = x;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      y = units_[i]->Apply(y);
      if (i + 1 < units_.size()) y = y.relu_();
    }
    return (y + (shortcut_ != nullptr ? shortcut_->Apply(x) : x)).relu_();
  }

  std::int64_t out() const { return out_; }

 private:
  void Add(std::shared_ptr<Unit> unit) {
    units_.push_back(register_module("unit" + std::to_string(units_.size()), std::move(unit)));
  }

  std::int64_t out_;
  std::vector<std::shared_ptr<Unit>> units_;
  std::shared_ptr<Unit> shortcut_;
};

class ResNet final : public Architecture {
 public:
  ResNet(const std::array<int, 4>& depths, bool bottleneck, std::int64_t classes)
      : stem_(register_module("stem", std::make_shared<Unit>(3, 64, 7, 2))) {
    std::int64_t in = 64;
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      const std::int64_t width = std::int64_t{64} << stage;
      for (int i = 0; i < depths[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size()),
                                          std::make_shared<Block>(in, width, stride, bottleneck)));
        in = blocks_.back()->out();
      }
    }
    classifier_ = register_module("classifier", nn::Linear(in, classes));
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    at::Tensor x = stem_->Apply(inputs.front()).relu_();
    x = at::max_pool2d(x, 3, 2, 1);
    for (const auto& block : blocks_) x = block->Apply(x);
    return classifier_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  std::shared_ptr<Unit> stem_;
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::Linear classifier_{nullptr};
};

}  // namespace

std::shared_ptr<Architecture> MakeResNet(const contract::ModelSpec& spec) {
  const bool large = spec.kind == contract::ModelKind::kResNet50;
  const std::array<int, 4> depths = large ? std::array{3, 4, 6, 3} : std::array{2, 2, 2, 2};
  return std::make_shared<ResNet>(depths, large, spec.classes);
}

}  // namespace torchsoak::runner
