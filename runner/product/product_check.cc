#include "runner/product/product_check.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randint.h>
#include <c10/core/Device.h>

namespace torchsoak::runner {
namespace {

constexpr std::uint64_t kSeed = 7;

at::Tensor WholeNumbers(std::int64_t n, at::Generator& rng) {
  return at::randint(-4, 5, {n, n}, rng, at::kFloat);
}

}  // namespace

ProductCheck CheckProductOn(const std::string& device, std::int64_t n, const Clock& clock,
                            const std::function<void()>& beat) {
  at::Generator rng = at::detail::createCPUGenerator(kSeed);
  const at::Tensor a = WholeNumbers(n, rng);
  const at::Tensor b = WholeNumbers(n, rng);
  const c10::Device where(device);
  const at::Tensor on_a = a.to(where);
  const at::Tensor on_b = b.to(where);
  const at::Tensor product = at::mm(on_a, on_b).to(c10::kCPU);
  beat();
  ProductCheck check;
  check.wrong = CompareProduct(a.const_data_ptr<float>(), b.const_data_ptr<float>(),
                               product.const_data_ptr<float>(), n, beat);
  const at::Tensor changed = product.clone();
  changed.select(0, n / 2).select(0, n / 3).add_(1);
  check.proven = CompareProduct(a.const_data_ptr<float>(), b.const_data_ptr<float>(),
                                changed.const_data_ptr<float>(), n, beat)
                     .has_value();
  const BootTime before = clock.Boot();
  // Reading one element waits for the device.
  (void)at::mm(on_a, on_b).select(0, 0).select(0, 0).item<float>();
  const double seconds = std::chrono::duration<double>(clock.Boot() - before).count();
  const auto size = static_cast<double>(n);
  if (seconds > 0) check.gflops = 2 * size * size * size / seconds / 1e9;
  beat();
  return check;
}

}  // namespace torchsoak::runner
