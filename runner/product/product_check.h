#pragma once
// One matrix product against a reference that another piece of code computed.
//
// The factors are whole numbers from -4 to 4, so that every partial sum is a whole number below
// 2^24: the product is exact in FP32 and TF32 in whatever order it is summed, and a healthy device
// must match to the last bit. Row and column sums of the product are compared with those computed
// from the factors in plain C++ (any single wrong element changes both), and a few rows element by
// element.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"

namespace torchsoak::runner {

struct ProductCheck {
  bool proven = false;               ///< the comparison saw an element that was changed by one
  std::optional<std::string> wrong;  ///< set when the device computed something else
  double gflops = 0;                 ///< of a second, timed product
};

/// Throws what LibTorch throws. `device` is "cpu" or "cuda:1".
ProductCheck CheckProductOn(const std::string& device, std::int64_t n, const Clock& clock,
                            const std::function<void()>& beat);

/// The comparison: `product` against `a` × `b`, all n × n by rows. Nothing when they agree.
std::optional<std::string> CompareProduct(const float* a, const float* b, const float* product,
                                          std::int64_t n, const std::function<void()>& beat);

}  // namespace torchsoak::runner
