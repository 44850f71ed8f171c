#include "common/base/quantity.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "common/base/text.h"

namespace torchsoak {
namespace {

constexpr std::size_t kMaxText = 64;
constexpr int kMaxExponent = 1000;  // far over what 64 bits hold, far under what costs time

/// digits × 1024^binary × 10^-scale: exact, whatever was written.
struct Decimal {
  std::string digits;
  int scale = 0;
  int binary = 0;
};

struct Suffix {
  std::string_view text;
  int binary;
  int decimal;
};
constexpr std::array<Suffix, 16> kSuffixes = {{{"", 0, 0},
                                               {"Ki", 1, 0},
                                               {"Mi", 2, 0},
                                               {"Gi", 3, 0},
                                               {"Ti", 4, 0},
                                               {"Pi", 5, 0},
                                               {"Ei", 6, 0},
                                               {"n", 0, -9},
                                               {"u", 0, -6},
                                               {"m", 0, -3},
                                               {"k", 0, 3},
                                               {"M", 0, 6},
                                               {"G", 0, 9},
                                               {"T", 0, 12},
                                               {"P", 0, 15},
                                               {"E", 0, 18}}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// "e3", "E-2" → 3, -2, saturated.
std::optional<int> Exponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsDigit)) return std::nullopt;
  int value = 0;
  for (const char c : text) value = std::min(value * 10 + (c - '0'), kMaxExponent);
  return negative ? -value : value;
}

bool ApplySuffix(std::string_view suffix, Decimal& number) {
  for (const Suffix& known : kSuffixes) {
    if (known.text != suffix) continue;
    number.binary = known.binary;
    number.scale -= known.decimal;
    return true;
  }
  const std::optional<int> exponent = Exponent(suffix);
  if (exponent) number.scale -= *exponent;
  return exponent.has_value();
}

/// The grammar of resource.Quantity without a minus sign.
std::optional<Decimal> ReadDecimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Decimal number;
  bool point = false;
  std::size_t at = 0;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !point)); ++at) {
    if (text[at] == '.') {
      point = true;
      continue;
    }
    number.digits += text[at];
    if (point) ++number.scale;
  }
  if (number.digits.empty() || !ApplySuffix(text.substr(at), number)) return std::nullopt;
  number.digits.erase(0, number.digits.find_first_not_of('0'));
  return number;
}

void MultiplyBy1024(std::string& digits) {
  int carry = 0;
  for (auto it = digits.rbegin(); it != digits.rend(); ++it) {
    carry += (*it - '0') * 1024;
    *it = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  const std::string high = carry == 0 ? "" : std::to_string(carry);
  digits.insert(0, high);
}

/// Whole units, rounded up; nothing above 2^63 - 1.
std::optional<std::int64_t> RoundUp(Decimal number) {
  for (int i = 0; i < number.binary; ++i) MultiplyBy1024(number.digits);
  bool rest = false;
  if (number.scale < 0) {
    if (number.scale < -19) return std::nullopt;  // digits is not empty: at least 10^20
    number.digits.append(static_cast<std::size_t>(-number.scale), '0');
  } else {
    const std::size_t dropped =
        std::min(number.digits.size(), static_cast<std::size_t>(number.scale));
    const std::size_t kept = number.digits.size() - dropped;
    rest = number.digits.find_first_not_of('0', kept) != std::string::npos;
    number.digits.resize(kept);
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  for (const char c : number.digits) {
    if (value > (kMax - (c - '0')) / 10) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  if (rest && value == kMax) return std::nullopt;
  return value + (rest ? 1 : 0);
}

Expected<std::int64_t> Parse(std::string_view text, int extra_scale) {
  const auto bad = [&](std::string_view what) {
    return Fail(ErrorCode::kInvalid,
                Quote(text) + " " + std::string(what) +
                    "; write a number more than 0 with one of the suffixes Ki Mi Gi Ti Pi Ei, "
                    "m k M G T P E, or none, like 500m, 2.5, 2.7Gi or 128974848");
  };
  if (text.starts_with('-')) return bad("is negative");
  if (text.size() > kMaxText) return bad("is too long for a quantity");
  std::optional<Decimal> number = ReadDecimal(text);
  if (!number) return bad("is not a quantity");
  if (number->digits.empty()) return bad("is zero");
  number->scale += extra_scale;
  const std::optional<std::int64_t> value = RoundUp(std::move(*number));
  if (!value) {
    return Fail(ErrorCode::kTooLarge, Quote(text) + " is too large: at most 2^63 - 1");
  }
  return *value;
}

}  // namespace

Expected<std::int64_t> ParseQuantity(std::string_view text) { return Parse(text, 0); }

Expected<std::int64_t> ParseMilliQuantity(std::string_view text) { return Parse(text, -3); }

}  // namespace torchsoak
