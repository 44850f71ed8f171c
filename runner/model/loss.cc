#include "runner/model/loss.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>

namespace torchsoak::runner {

at::Tensor LossOf(Task::Target target, const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor full = logits.to(at::kFloat);
  switch (target) {
    case Task::Target::kYesNo:
      return at::binary_cross_entropy_with_logits(full, targets);
    case Task::Target::kNextToken:
      return at::cross_entropy_loss(full.flatten(0, 1), targets.flatten());
    case Task::Target::kClass:
      break;
  }
  return at::cross_entropy_loss(full, targets);
}

}  // namespace torchsoak::runner
