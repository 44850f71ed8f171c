#pragma once

#include "runner/model/task.h"

namespace at {
class Tensor;
}

namespace torchsoak::runner {

/// The mean loss of a model's answer against the targets of its task: cross entropy of classes and
/// tokens, binary cross entropy of yes and no; computed in FP32 whatever the logits are in.
/// `targets` are [n] or [n, tokens] whole numbers, for yes and no [n] numbers.
at::Tensor LossOf(Task::Target target, const at::Tensor& logits, const at::Tensor& targets);

}  // namespace torchsoak::runner
