// BERT base (Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language
// Understanding", 2018) with its pooler and a classifier on top.

#include <ATen/ops/dropout.h>
#include <ATen/ops/tanh.h>
#include <torch/nn/modules/embedding.h>

#include <algorithm>
#include <string>

#include "runner/model/transformer.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

class Bert final : public Architecture {
 public:
  static constexpr std::int64_t kPositions = 512;
  static constexpr std::int64_t kSegments = 2;
  static constexpr double kEps = 1e-12;

  explicit Bert(const contract::ModelSpec& spec)
      : dropout_(spec.dropout),
        tokens_(spec.vocabulary, spec.hidden),
        positions_(std::max(kPositions, spec.sequence), spec.hidden),
        segments_(kSegments, spec.hidden),
        norm_(nn::LayerNormOptions({spec.hidden}).eps(kEps)),
        pooler_(spec.hidden, spec.hidden),
        classifier_(spec.hidden, spec.classes) {
    register_module("tokens", tokens_);
    register_module("positions", positions_);
    register_module("segments", segments_);
    register_module("norm", norm_);
    for (std::int64_t i = 0; i < spec.layers; ++i) {
      layers_.push_back(
          register_module("layer" + std::to_string(i),
                          std::make_shared<TransformerLayer>(TransformerLayer::Options{
                              spec.hidden, spec.heads, spec.dropout, false, false, kEps})));
    }
    register_module("pooler", pooler_);
    register_module("classifier", classifier_);
    InitTransformer(*this);
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    const at::Tensor& ids = inputs.front();  // [n, tokens], all of the first segment
    const at::Tensor places = positions_->weight.narrow(0, 0, ids.size(1));
    at::Tensor x = tokens_->forward(ids) + places + segments_->weight[0];
    x = at::dropout(norm_->forward(x), dropout_, is_training());
    for (const auto& layer : layers_) x = layer->Apply(x);
    const at::Tensor pooled = at::tanh(pooler_->forward(x.select(1, 0)));
    return classifier_->forward(at::dropout(pooled, dropout_, is_training()));
  }

 private:
  double dropout_;
  nn::Embedding tokens_;
  nn::Embedding positions_;
  nn::Embedding segments_;
  nn::LayerNorm norm_;
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::Linear pooler_;
  nn::Linear classifier_;
};

}  // namespace

std::shared_ptr<Architecture> MakeBert(const contract::ModelSpec& spec) {
  return std::make_shared<Bert>(spec);
}

}  // namespace torchsoak::runner
