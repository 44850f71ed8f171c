#include "common/base/quantity.h"

#include <string>

#include "common/base/units.h"
#include "tests/fuzz/fuzz.h"

using torchsoak::ErrorCode;
using torchsoak::fuzz::Require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = torchsoak::fuzz::Text(data, size);
  const auto whole = torchsoak::ParseQuantity(text);
  const auto milli = torchsoak::ParseMilliQuantity(text);
  if (whole) {
    Require(*whole > 0, "quantities are above 0");
    const auto again = torchsoak::ParseQuantity(std::to_string(*whole));
    Require(again && *again == *whole, "a whole number stays");
    if (milli) Require((*milli - 1) / 1000 + 1 == *whole, "both readings round up to the same");
  } else {
    const bool large = whole.error().code == ErrorCode::kTooLarge;
    Require(large || whole.error().code == ErrorCode::kInvalid,
            "a bad quantity is kInvalid or kTooLarge");
    Require(!milli, "thousandths are no smaller than wholes");
  }
  for (const torchsoak::Unit unit :
       {torchsoak::Unit::kNone, torchsoak::Unit::kSeconds, torchsoak::Unit::kBytes,
        torchsoak::Unit::kPerSecond, torchsoak::Unit::kRatio}) {
    const auto value = torchsoak::ParseValue(text, unit);
    if (value) torchsoak::FormatValue(*value, unit);
  }
  return 0;
}
