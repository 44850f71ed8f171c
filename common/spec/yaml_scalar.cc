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

/// Go writes a float below 1e21 without exponent, as its shortest digits and zeros behind them, so
/// that a whole one arrives as an integer at the API server if it fits.
std::optional<std::int64_t> AsGoWritesIt(double value) {
  if (value != std::floor(value) || std::fabs(value) >= 1e21) return std::nullopt;
  char buffer[64];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  std::string text(buffer, written.ptr);  // -1.25e+03
  const std::size_t e = text.find('e');
  const auto exponent = static_cast<std::size_t>(std::atoi(text.c_str() + e + 1));
  const std::size_t point = std::min(text.find('.'), e);
  std::string digits = text.substr(0, point);
  const std::string fraction = point < e ? text.substr(point + 1, e - point - 1) : "";
  digits += fraction + std::string(exponent - fraction.size(), '0');
  std::int64_t whole = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (read.ec != std::errc()) return std::nullopt;
  return whole;
}

std::optional<Json> ReadFloat(const std::string& text) {
  if (!LooksLikeFloat(text)) return std::nullopt;
  errno = 0;
  const double value = std::strtod(text.c_str(), nullptr);  // no locale is ever set
  if (!std::isfinite(value)) return std::nullopt;           // Go calls 1e999 a text
  if (const auto whole = AsGoWritesIt(value)) return Json(*whole);
  return Json(value);
}

/// 2024-01-01 and its longer forms, which go-yaml takes for a time and hands on as text. All begin
/// with four digits and a minus, and nothing that does is a number.
bool LooksLikeTime(std::string_view text) {
  return text.size() > 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit) && text[4] == '-';
}

std::string WithoutUnderscores(std::string text) {
  std::erase(text, '_');
  return text;
}

/// Go's ParseFloat reads 1_0; go-yaml gives it what begins with a point as it stands.
bool UnderscoresSeparateDigits(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    const bool between =
        i > 0 && i + 1 < text.size() && IsDigit(text[i - 1]) && IsDigit(text[i + 1]);
    if (!between) return false;
  }
  return true;
}

}  // namespace

std::optional<Json> ReadPlainScalar(const std::string& text) {
  if (In(text, kTrue)) return Json(true);
  if (In(text, kFalse)) return Json(false);
  if (In(text, kNull)) return Json(nullptr);
  if (In(text, kNotFinite)) return std::nullopt;
  const char first = text[0];
  if (first == '.') {
    const std::string plain = UnderscoresSeparateDigits(text) ? WithoutUnderscores(text) : text;
    return ReadFloat(plain).value_or(Json(text));
  }
  if ((first != '-' && first != '+' && !IsDigit(first)) || LooksLikeTime(text)) return Json(text);
  const std::string plain = WithoutUnderscores(text);
  if (auto integer = ReadInteger(plain)) return integer;
  return ReadFloat(plain).value_or(Json(text));
}

}  // namespace torchsoak::spec
