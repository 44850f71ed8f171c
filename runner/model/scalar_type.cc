#include "runner/model/scalar_type.h"

#include <c10/core/ScalarType.h>

namespace torchsoak::runner {

c10::ScalarType ScalarTypeOf(contract::Precision precision) {
  switch (precision) {
    case contract::Precision::kFp32:
      return c10::ScalarType::Float;
    case contract::Precision::kBf16:
      return c10::ScalarType::BFloat16;
    case contract::Precision::kFp16:
      return c10::ScalarType::Half;
  }
  return c10::ScalarType::Float;
}

}  // namespace torchsoak::runner
