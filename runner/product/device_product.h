#pragma once
// One device's two matrices and their product, made over and over and compared with the golden one.
//
// Free of LibTorch. Used by one thread. Everything throws what LibTorch throws.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/contract/spec.h"
#include "runner/product/golden.h"

namespace torchsoak::runner {

class ProductReference;

/// The reference (product_reference.h) of the product that the spec and seed stand for.
std::shared_ptr<const ProductReference> MakeReference(const contract::GemmSpec& gemm,
                                                      std::uint64_t seed);

class DeviceProduct {
 public:
  virtual ~DeviceProduct() = default;

  /// Starts the next product, over the one before; Device::Synchronize waits for it.
  virtual void Launch() = 0;

  /// Notes the bits of the present product; the first is number 0.
  virtual Fingerprint Note() = 0;
  virtual std::optional<std::string> FaultOf(const ProductReference& reference) = 0;

  /// From now on the product noted as this number is the golden one; the others are forgotten.
  virtual void Choose(std::size_t noted) = 0;

  /// Where the present product has other bits than the golden one; nothing when it has not. Waits
  /// for the device.
  virtual std::optional<std::string> Difference() = 0;

  /// Spoils the present product a little, for a canary.
  virtual void FlipOneBit() = 0;
};

/// Matrices on `device` ("cpu", "cuda:1"); sets, for the process, how LibTorch multiplies FP32 and
/// sums FP16 and BF16, so that every run of a precision does the same.
std::unique_ptr<DeviceProduct> MakeDeviceProduct(const contract::GemmSpec& gemm, std::uint64_t seed,
                                                 const std::string& device);

}  // namespace torchsoak::runner
