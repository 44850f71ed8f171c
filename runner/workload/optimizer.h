#pragma once
// What makes a step from gradients, as PyTorch's optimizers of the same name with their usual
// constants.

#include <memory>
#include <vector>

#include "common/contract/spec.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

/// Members throw what LibTorch throws.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Changes every parameter that has a gradient.
  virtual void Step() = 0;

  /// Frees the gradients.
  virtual void DropGradients() = 0;
};

/// `parameters` are shared with the model. With `fused` one kernel updates all of them (torch's
/// fused=True), otherwise each has its own operations (torch's default on a CPU).
std::unique_ptr<Optimizer> MakeOptimizer(const contract::TrainingSpec& spec,
                                         std::vector<at::Tensor> parameters);

}  // namespace torchsoak::runner
