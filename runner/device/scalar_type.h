#pragma once

#include <cstdint>

#include "common/contract/spec.h"

namespace c10 {
enum class ScalarType : std::int8_t;
}

namespace torchsoak::runner {

c10::ScalarType ScalarTypeOf(contract::Precision precision);

}  // namespace torchsoak::runner
