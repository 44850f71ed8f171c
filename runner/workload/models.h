#pragma once
// The built-in models. LibTorch's own types stay behind the pointer; whoever calls Forward includes
// what it needs of ATen.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/contract/spec.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

/// Shape of one sample, e.g. {784} or {3, 224, 224}.
std::vector<std::int64_t> SampleShape(const contract::ModelSpec& spec);
std::int64_t Classes(const contract::ModelSpec& spec);

/// Members throw what LibTorch throws.
class Model {
 public:
  /// With fresh weights from LibTorch's generators, on `device` ("cpu", "cuda:1"), cast to
  /// `precision`.
  Model(const contract::ModelSpec& spec, contract::Precision precision, const std::string& device);
  ~Model();

  /// Logits [n, classes] of a batch [n, sample shape…].
  at::Tensor Forward(const at::Tensor& batch);

  std::vector<at::Tensor> Parameters() const;
  std::int64_t ParameterCount() const;

  /// True (as built): dropout is active. False: evaluation.
  void SetTraining(bool training);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::runner
