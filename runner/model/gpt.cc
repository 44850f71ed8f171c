// GPT-2 small (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019): the
// output layer shares the weights of the token table.

#include <ATen/ops/dropout.h>
#include <ATen/ops/linear.h>
#include <torch/nn/modules/embedding.h>

#include <algorithm>
#include <string>

#include "runner/model/transformer.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

class Gpt final : public Architecture {
 public:
  static constexpr std::int64_t kPositions = 1024;

  explicit Gpt(const contract::ModelSpec& spec)
      : dropout_(spec.dropout),
        tokens_(spec.vocabulary, spec.hidden),
        positions_(std::max(kPositions, spec.sequence), spec.hidden),
        norm_(nn::LayerNormOptions({spec.hidden})) {
    register_module("tokens", tokens_);
    register_module("positions", positions_);
    for (std::int64_t i = 0; i < spec.layers; ++i) {
      layers_.push_back(register_module(
          "layer" + std::to_string(i), std::make_shared<TransformerLayer>(TransformerLayer::Options{
                                           spec.hidden, spec.heads, spec.dropout, true, true})));
    }
    register_module("norm", norm_);
    InitTransformer(*this);
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    const at::Tensor& ids = inputs.front();  // [n, tokens]
    at::Tensor x = tokens_->forward(ids) + positions_->weight.narrow(0, 0, ids.size(1));
    x = at::dropout(x, dropout_, is_training());
    for (const auto& layer : layers_) x = layer->Apply(x);
    return at::linear(norm_->forward(x), tokens_->weight);
  }

 private:
  double dropout_;
  nn::Embedding tokens_;
  nn::Embedding positions_;
  nn::LayerNorm norm_;
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
};

}  // namespace

std::shared_ptr<Architecture> MakeGpt(const contract::ModelSpec& spec) {
  return std::make_shared<Gpt>(spec);
}

}  // namespace torchsoak::runner
