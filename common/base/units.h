#pragma once
// Numbers for people and bounds from people: "21.3ms", "2.7GiB", "2480/s", "0.1%", "41.2TFLOP/s",
// "3.9TB/s".

#include <optional>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak {

/// What a metric counts in. Values are held in the base unit: seconds, bytes, 1/s, a ratio
/// (0.01 = 1%), floating-point operations/s, bytes/s, or a bare number.
enum class Unit { kNone, kSeconds, kBytes, kPerSecond, kRatio, kFlopsPerSecond, kBytesPerSecond };

/// Four significant digits with the fitting unit: 0.0213 s → "21.3ms", 2899102925 → "2.7GiB",
/// 2480.4 → "2480/s", 0.001 → "0.1%", 0.6931 → "0.6931". Non-finite values give "n/a".
/// More `digits` tell apart two values that look equal.
std::string FormatValue(double value, Unit unit, int digits = 4);

/// A bound as the CRD accepts it: "130ms", "2GiB", "2400" or "2400/s", "0.1%", "40TFLOP/s",
/// "3TB/s", "0.35".
/// kInvalid names the unit that is expected.
Expected<double> ParseValue(std::string_view text, Unit unit);

}  // namespace torchsoak
