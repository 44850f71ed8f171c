#include "runner/product/device_product.h"

#include <ATen/Context.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>

#include <vector>

#include "runner/product/bit_sums.h"
#include "runner/product/matrix_source.h"
#include "runner/product/product_reference.h"

namespace torchsoak::runner {
namespace {

MatrixSource SourceA(const contract::GemmSpec& gemm, std::uint64_t seed) {
  return {gemm.size, gemm.precision, seed, 'A'};
}
MatrixSource SourceB(const contract::GemmSpec& gemm, std::uint64_t seed) {
  return {gemm.size, gemm.precision, seed, 'B'};
}

/// 16-bit factors are summed in FP32, whatever the process was told before.
void FixArithmetic(contract::Precision precision) {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(precision == contract::Precision::kTf32);
  context.setAllowFP16ReductionCuBLAS(false);
  context.setAllowBF16ReductionCuBLAS(false);
}

class TorchProduct final : public DeviceProduct {
 public:
  TorchProduct(const contract::GemmSpec& gemm, std::uint64_t seed, c10::Device device)
      : a_(SourceA(gemm, seed).On(device)),
        b_(SourceB(gemm, seed).On(device)),
        product_(at::empty_like(a_)) {}

  void Launch() override { at::mm_out(product_, a_, b_); }
  Fingerprint Note() override {
    noted_.push_back(SumBits(product_));
    return FingerprintOf(noted_.back());
  }
  std::optional<std::string> FaultOf(const ProductReference& reference) override {
    return reference.FaultOf(product_);
  }
  void Choose(std::size_t noted) override {
    golden_ = noted_.at(noted);
    noted_.clear();
  }
  std::optional<std::string> Difference() override {
    const BitSums sums = SumBits(product_);
    if (SameBits(sums, golden_)) return std::nullopt;
    return WhereTheyDiffer(sums, golden_);
  }
  void FlipOneBit() override { runner::FlipOneBit(product_); }

 private:
  at::Tensor a_;
  at::Tensor b_;
  at::Tensor product_;
  std::vector<BitSums> noted_;
  BitSums golden_;
};

}  // namespace

std::shared_ptr<const ProductReference> MakeReference(const contract::GemmSpec& gemm,
                                                      std::uint64_t seed) {
  return std::make_shared<const ProductReference>(SourceA(gemm, seed), SourceB(gemm, seed),
                                                  gemm.precision);
}

std::unique_ptr<DeviceProduct> MakeDeviceProduct(const contract::GemmSpec& gemm, std::uint64_t seed,
                                                 const std::string& device) {
  FixArithmetic(gemm.precision);
  return std::make_unique<TorchProduct>(gemm, seed, c10::Device(device));
}

}  // namespace torchsoak::runner
