#include "runner/workload/optimizer.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <gtest/gtest.h>

#include <string>

namespace torchsoak::runner {
namespace {

using contract::TrainingSpec;

class EveryOptimizer : public testing::TestWithParam<contract::Optimizer> {
 protected:
  /// Two parameters after ten steps along gradients that change; the second has none.
  std::vector<at::Tensor> After(bool fused) {
    TrainingSpec spec;
    spec.optimizer = GetParam();
    spec.fused = fused;
    spec.learning_rate = 0.1;
    const at::Tensor moved = at::linspace(-1, 1, 7).requires_grad_();
    const at::Tensor left = at::full({3}, 5.0).requires_grad_();
    const auto optimizer = MakeOptimizer(spec, {moved, left});
    for (int i = 1; i <= 10; ++i) {
      moved.mutable_grad() = moved.detach().mul(2).add(i);
      optimizer->Step();
      optimizer->DropGradients();
      EXPECT_FALSE(moved.grad().defined());
    }
    return {moved.detach(), left.detach()};
  }
};

TEST_P(EveryOptimizer, DoesTheSameFused) {
  const auto plain = After(false);
  const auto fused = After(true);
  EXPECT_FALSE(plain[0].allclose(at::linspace(-1, 1, 7))) << "it moved";
  EXPECT_TRUE(plain[0].allclose(fused[0], 1e-5, 1e-6)) << plain[0] << fused[0];
  EXPECT_TRUE(fused[1].equal(at::full({3}, 5.0))) << "without a gradient there is no step";
}

INSTANTIATE_TEST_SUITE_P(All, EveryOptimizer,
                         testing::Values(contract::Optimizer::kSgd, contract::Optimizer::kAdam,
                                         contract::Optimizer::kAdamW),
                         [](const auto& info) {
                           return std::string(contract::ToString(info.param));
                         });

}  // namespace
}  // namespace torchsoak::runner
