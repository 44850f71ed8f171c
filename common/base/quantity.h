#pragma once
// Kubernetes quantities (resource.Quantity), as far as cpu and memory need them.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak {

/// "2.7Gi", "500m", "1e3", "129M" → whole units, rounded up as Kubernetes does. kInvalid for
/// "1 Gi", "1gb", "1GiB", "", negative values and zero, with the allowed suffixes in the message;
/// kTooLarge above 2^63 - 1.
Expected<std::int64_t> ParseQuantity(std::string_view text);

/// The same in thousandths: cpu "1.5" → 1500, "500m" → 500.
Expected<std::int64_t> ParseMilliQuantity(std::string_view text);

}  // namespace torchsoak
