#include "runner/model/transformer.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/embedding.h>

namespace torchsoak::runner {

namespace nn = torch::nn;

TransformerLayer::TransformerLayer(const Options& options)
    : options_(options),
      queries_keys_values_(options.width, 3 * options.width),
      joined_(options.width, options.width),
      wide_(options.width, 4 * options.width),
      narrow_(4 * options.width, options.width),
      attention_norm_(nn::LayerNormOptions({options.width}).eps(options.eps)),
      mlp_norm_(nn::LayerNormOptions({options.width}).eps(options.eps)) {
  register_module("queriesKeysValues", queries_keys_values_);
  register_module("joined", joined_);
  register_module("wide", wide_);
  register_module("narrow", narrow_);
  register_module("attentionNorm", attention_norm_);
  register_module("mlpNorm", mlp_norm_);
}

at::Tensor TransformerLayer::Drop(const at::Tensor& x) const {
  return at::dropout(x, options_.dropout, is_training());
}

at::Tensor TransformerLayer::Attend(const at::Tensor& x) {
  const std::int64_t n = x.size(0);
  const std::int64_t tokens = x.size(1);
  // [3, n, heads, tokens, width of a head]
  const at::Tensor parts =
      queries_keys_values_->forward(x)
          .view({n, tokens, 3, options_.heads, options_.width / options_.heads})
          .permute({2, 0, 3, 1, 4});
  const at::Tensor seen =
      at::scaled_dot_product_attention(parts[0], parts[1], parts[2], std::nullopt,
                                       is_training() ? options_.dropout : 0.0, options_.causal);
  return Drop(joined_->forward(seen.transpose(1, 2).reshape({n, tokens, options_.width})));
}

at::Tensor TransformerLayer::Think(const at::Tensor& x) {
  const char* approximation = options_.norm_first ? "tanh" : "none";  // GPT-2's own, and BERT's
  return Drop(narrow_->forward(at::gelu(wide_->forward(x), approximation)));
}

at::Tensor TransformerLayer::Apply(const at::Tensor& x) {
  if (options_.norm_first) {
    const at::Tensor y = x + Attend(attention_norm_->forward(x));
    return y + Think(mlp_norm_->forward(y));
  }
  const at::Tensor y = attention_norm_->forward(x + Attend(x));
  return mlp_norm_->forward(y + Think(y));
}

void InitTransformer(nn::Module& module) {
  module.apply([](nn::Module& each) {
    if (auto* linear = each.as<nn::Linear>()) {
      nn::init::normal_(linear->weight, 0, 0.02);
      if (linear->bias.defined()) nn::init::zeros_(linear->bias);
    } else if (auto* embedding = each.as<nn::Embedding>()) {
      nn::init::normal_(embedding->weight, 0, 0.02);
    }
  });
}

}  // namespace torchsoak::runner
