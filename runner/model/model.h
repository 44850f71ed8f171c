#pragma once
// A model as the workloads see it. LibTorch's own types stay forward declarations; whoever calls
// Forward includes what it needs of ATen.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/contract/models.h"
#include "common/contract/spec.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

/// Members throw what LibTorch throws.
class Model {
 public:
  virtual ~Model() = default;

  /// `inputs` as the model's Task (runner/model/task.h) has them, each [n, shape of a sample…]; the
  /// logits that it speaks of.
  virtual at::Tensor Forward(const std::vector<at::Tensor>& inputs) = 0;

  virtual std::vector<at::Tensor> Parameters() const = 0;

  /// True (as built): dropout is active, batch statistics are taken. False: evaluation.
  virtual void SetTraining(bool training) = 0;
};

/// With fresh weights from LibTorch's generators, on `device` ("cpu", "cuda:1"), cast to
/// `precision`. A model from a file is loaded and tried with `batch` samples of its declared
/// inputs; whatever is wrong with it is a ModelFileError (runner/model/model_file.h).
std::unique_ptr<Model> MakeModel(const contract::ModelSpec& spec, contract::Precision precision,
                                 const std::string& device, std::int64_t batch = 1);

/// Numbers that training may change.
std::int64_t CountParameters(const Model& model);

}  // namespace torchsoak::runner
