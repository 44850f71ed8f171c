#include "common/base/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <span>

#include "common/base/text.h"

namespace torchsoak {
namespace {

constexpr std::size_t kMaxText = 64;

/// A unit as written, and what it is in base units: value × multiply / divide. Both are whole
/// numbers, so that "130ms" is the double nearest to 0.13.
struct Scale {
  std::string_view suffix;
  double multiply;
  double divide;
};

constexpr std::array<Scale, 6> kSeconds = {
    {{"ns", 1, 1e9}, {"us", 1, 1e6}, {"ms", 1, 1e3}, {"s", 1, 1}, {"m", 60, 1}, {"h", 3600, 1}}};
constexpr std::array<Scale, 7> kBytes = {{{"B", 1, 1},
                                          {"KiB", 1024.0, 1},
                                          {"MiB", 1048576.0, 1},
                                          {"GiB", 1073741824.0, 1},
                                          {"TiB", 1099511627776.0, 1},
                                          {"PiB", 1125899906842624.0, 1},
                                          {"EiB", 1152921504606846976.0, 1}}};
constexpr std::array<Scale, 2> kPerSecond = {{{"", 1, 1}, {"/s", 1, 1}}};
constexpr std::array<Scale, 1> kRatio = {{{"%", 1, 100}}};
constexpr std::array<Scale, 4> kFlopsPerSecond = {
    {{"MFLOP/s", 1e6, 1}, {"GFLOP/s", 1e9, 1}, {"TFLOP/s", 1e12, 1}, {"PFLOP/s", 1e15, 1}}};
// Bandwidths are told in powers of ten, unlike amounts.
constexpr std::array<Scale, 3> kBytesPerSecond = {
    {{"MB/s", 1e6, 1}, {"GB/s", 1e9, 1}, {"TB/s", 1e12, 1}}};
constexpr std::array<Scale, 1> kNone = {{{"", 1, 1}}};

std::span<const Scale> ScalesOf(Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return kSeconds;
    case Unit::kBytes:
      return kBytes;
    case Unit::kPerSecond:
      return kPerSecond;
    case Unit::kRatio:
      return kRatio;
    case Unit::kFlopsPerSecond:
      return kFlopsPerSecond;
    case Unit::kBytesPerSecond:
      return kBytesPerSecond;
    case Unit::kNone:
      return kNone;
  }
  return kNone;
}

std::string_view Example(Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return "a time like 130ms or 1.5s";
    case Unit::kBytes:
      return "an amount of memory like 512MiB or 2GiB";
    case Unit::kPerSecond:
      return "a rate like 2400 or 2400/s";
    case Unit::kRatio:
      return "a percentage like 0.1%";
    case Unit::kFlopsPerSecond:
      return "a rate of computing like 500GFLOP/s or 40TFLOP/s";
    case Unit::kBytesPerSecond:
      return "a bandwidth like 20GB/s or 3TB/s";
    case Unit::kNone:
      return "a number without a unit like 0.35";
  }
  return "a number";
}

/// Where [0-9]+([.][0-9]+)? ends that begins at `at`; npos when there is no such number.
std::size_t EndOfNumber(std::string_view text, std::size_t at) {
  const auto skip = [&](std::size_t from) {
    const std::size_t end = text.find_first_not_of("0123456789", from);
    return end == std::string_view::npos ? text.size() : end;
  };
  const std::size_t whole = skip(at);
  if (whole == at) return std::string_view::npos;
  if (whole == text.size() || text[whole] != '.') return whole;
  const std::size_t fraction = skip(whole + 1);
  return fraction == whole + 1 ? std::string_view::npos : fraction;
}

/// `digits` significant ones, whole numbers in full, an exponent only where zeros would hide it.
std::string Number(double value, int digits) {
  const double size = std::fabs(value);
  char text[64];
  if (size >= std::pow(10, digits) && size < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
  }
  return text;
}

/// The largest scale that leaves at least 1 before the point.
std::string Scaled(double value, std::span<const Scale> scales, int digits) {
  const Scale* best = &scales.front();
  for (const Scale& scale : scales) {
    if (std::fabs(value) >= scale.multiply / scale.divide) best = &scale;
  }
  return Number(value * best->divide / best->multiply, digits) + std::string(best->suffix);
}

}  // namespace

std::string FormatValue(double value, Unit unit, int digits) {
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) value = 0;  // no "-0"
  switch (unit) {
    case Unit::kSeconds:
      if (value == 0) return "0s";
      // Minutes and hours with a decimal point are hard to read: seconds up to two hours.
      return std::fabs(value) < 7200 ? Scaled(value, std::span(kSeconds).first(4), digits)
                                     : Scaled(value, kSeconds, digits);
    case Unit::kBytes:
      return Scaled(value, kBytes, digits);
    case Unit::kPerSecond:
      return Number(value, digits) + "/s";
    case Unit::kRatio:
      return Number(value * 100, digits) + "%";
    case Unit::kFlopsPerSecond:
      return Scaled(value, kFlopsPerSecond, digits);
    case Unit::kBytesPerSecond:
      return Scaled(value, kBytesPerSecond, digits);
    case Unit::kNone:
      break;
  }
  return Number(value, digits);
}

Expected<double> ParseValue(std::string_view text, Unit unit) {
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalid, Quote(text) + " is not " + std::string(Example(unit)));
  };
  const bool negative = text.starts_with('-');
  const std::size_t end = EndOfNumber(text, negative ? 1 : 0);
  if (text.size() > kMaxText || end == std::string_view::npos) return bad();
  if (negative && unit != Unit::kNone) return bad();  // there is no negative time, size or rate
  double number = 0;
  std::from_chars(text.data(), text.data() + end, number);  // 64 characters: always in range
  for (const Scale& scale : ScalesOf(unit)) {
    if (scale.suffix == text.substr(end)) return number * scale.multiply / scale.divide;
  }
  return bad();
}

}  // namespace torchsoak
