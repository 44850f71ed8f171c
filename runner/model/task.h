#pragma once
// What a model is asked: the shape of a sample and what is to be found out about it. Free of
// LibTorch.

#include <cstdint>
#include <vector>

#include "common/contract/models.h"

namespace torchsoak::runner {

struct Task {
  struct Input {
    std::vector<std::int64_t> shape;  ///< of one sample, e.g. {3, 224, 224}
    std::int64_t below = 0;  ///< 0: numbers, normally distributed; n: whole numbers 0 … n − 1
    bool narrow = false;     ///< whole numbers are INT32, not INT64
  };
  enum class Target {
    kClass,      ///< one of `classes`, from logits [n, classes]
    kNextToken,  ///< for each token the one after it, from logits [n, tokens, classes]
    kYesNo,      ///< 0 or 1, from logits [n]
  };
  std::vector<Input> inputs;
  Target target = Target::kClass;
  std::int64_t classes = 0;
};

Task TaskOf(const contract::ModelSpec& spec);

}  // namespace torchsoak::runner
