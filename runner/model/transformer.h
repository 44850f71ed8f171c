#pragma once
// One layer of a transformer (Vaswani et al., "Attention Is All You Need", 2017): attention, then
// an MLP four times as wide, each added to what came in. Private to this folder.

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>

#include "runner/model/module_model.h"

namespace torchsoak::runner {

class TransformerLayer final : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t width = 0;
    std::int64_t heads = 0;
    double dropout = 0;
    bool causal = false;      ///< a token sees only those before it
    bool norm_first = false;  ///< GPT-2; false: after the addition, as BERT
    double eps = 1e-5;        ///< of the normalisation
  };
  explicit TransformerLayer(const Options& options);

  /// [n, tokens, width] to the same.
  at::Tensor Apply(const at::Tensor& x);

 private:
  at::Tensor Attend(const at::Tensor& x);
  at::Tensor Think(const at::Tensor& x);
  at::Tensor Drop(const at::Tensor& x) const;

  Options options_;
  torch::nn::Linear queries_keys_values_;
  torch::nn::Linear joined_;
  torch::nn::Linear wide_;
  torch::nn::Linear narrow_;
  torch::nn::LayerNorm attention_norm_;
  torch::nn::LayerNorm mlp_norm_;
};

/// Weights from a normal distribution of σ = 0.02, no biases: how BERT and GPT-2 begin.
void InitTransformer(torch::nn::Module& module);

}  // namespace torchsoak::runner
