// The rules of go-yaml v2's resolve.go, which kubectl and sigs.k8s.io/yaml use. It is YAML 1.1 with
// differences: no base 60, timestamps stay text, y and n are booleans.

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "common/spec/yaml.h"

namespace torchsoak::spec {
namespace {

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotFinite = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                         ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                         "+.INF", "-.inf", "-.Inf", "-.INF"};

template <std::size_t N>
bool In(const std::string& text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Digits in Go's base 0: 0x, 0b, 0o, or a leading zero for octal. The base, and the digits left.
int BaseOf(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char c = digits[1];
  int base = 8;
  std::size_t prefix = 2;
  if (c == 'x' || c == 'X') {
    base = 16;
  } else if (c == 'b' || c == 'B') {
    base = 2;
  } else if (c != 'o' && c != 'O') {
    prefix = 1;
  }
  digits.remove_prefix(prefix);
  return base;
}

/// Nothing when `text` is no integer; a double when it does not fit 64 bits with a sign but
/// without.
std::optional<Json> ReadInteger(std::string_view text) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  if (sign) text.remove_prefix(1);
  const int base = BaseOf(text);
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || at != end) return std::nullopt;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative && value <= kMax + 1) return Json(static_cast<std::int64_t>(0 - value));
  if (!negative && value <= kMax) return Json(static_cast<std::int64_t>(value));
  if (sign) return std::nullopt;
  return Json(static_cast<double>(value));
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool LooksLikeFloat(std::string_view text) {
  const auto digits = [&] {
    const auto* end = std::find_if_not(text.begin(), text.end(), IsDigit);
    const auto n = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(n);
    return n;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return digits() > 0 && text.empty();
}

std::optional<Json> ReadFloat(const std::string& text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  errno = 0;
  const double value = std::strtod(text.c_str(), nullptr);  // no locale is ever set
  if (!std::isfinite(value)) return std::nullopt;           // Go calls 1e999 a text
  // JSON from Go has no exponent below 1e21, so what is whole arrives as an integer.
  constexpr double kTwo63 = 9223372036854775808.0;
  if (value == std::floor(value) && value >= -kTwo63 && value < kTwo63) {
    return Json(static_cast<std::int64_t>(value));
  }
  return Json(value);
}

/// 2024-01-01 and its longer forms, which go-yaml takes for a time and hands on as text. All begin
/// with four digits and a minus, and nothing that does is a number.
bool LooksLikeTime(std::string_view text) {
  return text.size() > 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit) && text[4] == '-';
}

}  // namespace

std::optional<Json> ReadPlainScalar(const std::string& text) {
  if (In(text, kTrue)) return Json(true);
  if (In(text, kFalse)) return Json(false);
  if (In(text, kNull)) return Json(nullptr);
  if (In(text, kNotFinite)) return std::nullopt;
  const char first = text[0];
  if (first == '.') return ReadFloat(text).value_or(Json(text));
  if ((first != '-' && first != '+' && !IsDigit(first)) || LooksLikeTime(text)) return Json(text);
  std::string plain = text;
  std::erase(plain, '_');
  if (auto integer = ReadInteger(plain)) return integer;
  return ReadFloat(plain).value_or(Json(text));
}

}  // namespace torchsoak::spec
