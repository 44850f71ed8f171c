// A recommender (Naumov et al., "Deep Learning Recommendation Model for Personalization and
// Recommendation Systems", 2019) with the MLPs that it was published with for the Criteo Kaggle
// data: 512-256 below, 512-256 on top, dot products of all pairs of vectors between them.

#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tril_indices.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <string>

#include "runner/model/module_model.h"

namespace torchsoak::runner {
namespace {

namespace nn = torch::nn;

nn::Linear Layer(std::int64_t in, std::int64_t out) {
  nn::Linear layer(in, out);
  nn::init::normal_(layer->weight, 0, std::sqrt(2.0 / static_cast<double>(in + out)));
  nn::init::normal_(layer->bias, 0, std::sqrt(1.0 / static_cast<double>(out)));
  return layer;
}

class Dlrm final : public Architecture {
 public:
  explicit Dlrm(const contract::ModelSpec& spec)
      : bottom_(Layer(spec.dense, 512), nn::ReLU(), Layer(512, 256), nn::ReLU(), Layer(256, 64),
                nn::ReLU(), Layer(64, spec.embedding), nn::ReLU()) {
    register_module("bottom", bottom_);
    const double spread = std::sqrt(1.0 / static_cast<double>(spec.rows));
    for (std::int64_t i = 0; i < spec.tables; ++i) {
      nn::Embedding table(spec.rows, spec.embedding);
      nn::init::uniform_(table->weight, -spread, spread);
      tables_.push_back(register_module("table" + std::to_string(i), table));
    }
    const std::int64_t vectors = spec.tables + 1;
    const at::Tensor below = at::tril_indices(vectors, vectors, -1);
    pairs_ = register_buffer("pairs", below[0] * vectors + below[1]);
    top_ = nn::Sequential(Layer(pairs_.numel() + spec.embedding, 512), nn::ReLU(), Layer(512, 256),
                          nn::ReLU(), Layer(256, 1));
    register_module("top", top_);
  }

  at::Tensor forward(const std::vector<at::Tensor>& inputs) override {
    const at::Tensor dense = bottom_->forward(inputs[0]);  // [n, embedding]
    std::vector<at::Tensor> vectors = {dense};
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      vectors.push_back(tables_[i]->forward(inputs[1].select(1, static_cast<std::int64_t>(i))));
    }
    const at::Tensor all = at::stack(vectors, 1);  // [n, vectors, embedding]
    const at::Tensor products = at::bmm(all, all.transpose(1, 2)).flatten(1);
    const at::Tensor met = products.index_select(1, pairs_);
    return top_->forward(at::cat({dense, met}, 1)).squeeze(1);
  }

 private:
  nn::Sequential bottom_;
  std::vector<nn::Embedding> tables_;
  at::Tensor pairs_;  ///< places of the different pairs among vectors × vectors
  nn::Sequential top_{nullptr};
};

}  // namespace

std::shared_ptr<Architecture> MakeDlrm(const contract::ModelSpec& spec) {
  return std::make_shared<Dlrm>(spec);
}

}  // namespace torchsoak::runner
