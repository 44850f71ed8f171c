#include "runner/device/scalar_type.h"

#include <c10/core/ScalarType.h>

namespace torchsoak::runner {

c10::ScalarType ScalarTypeOf(contract::Precision precision) {
  switch (precision) {
    case contract::Precision::kFp32:
    case contract::Precision::kTf32:  // FP32 to look at; how it is multiplied is a setting
      return c10::ScalarType::Float;
    case contract::Precision::kBf16:
      return c10::ScalarType::BFloat16;
    case contract::Precision::kFp16:
      return c10::ScalarType::Half;
    case contract::Precision::kFp64:
      return c10::ScalarType::Double;
  }
  return c10::ScalarType::Float;
}

}  // namespace torchsoak::runner
