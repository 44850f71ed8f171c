#pragma once
// The duration grammar of the CRD, in one place: ([0-9]+(\.[0-9]+)?(ms|s|m|h))+, > 0, ≤ 720h.

#include <chrono>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak {

inline constexpr std::chrono::milliseconds kMaxDuration = std::chrono::hours(720);

/// "1h30m", "1.5h", "300ms" → milliseconds, rounded up. kInvalid with examples of what is allowed
/// for anything else: "2d", "5400", "1h 30m", "0s", more than 720h.
Expected<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// The same to the nanosecond, cut off as CEL's duration() does, for comparing as the CRD does.
Expected<std::chrono::nanoseconds> ParseNanoseconds(std::string_view text);

/// The shortest form of whole units: 5400000 ms → "1h30m"; 0 → "0s".
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace torchsoak
