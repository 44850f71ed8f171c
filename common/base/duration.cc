#include "common/base/duration.h"

#include <cstdint>
#include <optional>

#include "common/base/text.h"

namespace torchsoak {
namespace {

using Nanoseconds = std::uint64_t;
constexpr Nanoseconds kMsNs = 1'000'000;
constexpr Nanoseconds kMaxNs = static_cast<Nanoseconds>(kMaxDuration.count()) * kMsNs;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads terms like "12.5h" off the front of a text. One nanosecond is the finest that counts,
/// because CEL's duration() in the CRD's rules reads no finer.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  /// The next term, at most a little over kMaxNs; nothing when it breaks the grammar.
  std::optional<Nanoseconds> Term() {
    const std::string_view whole = Digits();
    if (whole.empty()) return std::nullopt;
    std::string_view fraction;
    if (!text_.empty() && text_.front() == '.') {
      text_.remove_prefix(1);
      fraction = Digits();
      if (fraction.empty()) return std::nullopt;
    }
    const std::optional<Nanoseconds> unit = UnitOf();
    if (!unit) return std::nullopt;
    const Nanoseconds left = Whole(whole, kMaxNs / *unit + 1) * *unit;
    return left + Fraction(fraction, *unit);
  }

 private:
  std::string_view Digits() {
    std::size_t n = 0;
    while (n < text_.size() && IsDigit(text_[n])) ++n;
    const std::string_view digits = text_.substr(0, n);
    text_.remove_prefix(n);
    return digits;
  }

  std::optional<Nanoseconds> UnitOf() {
    if (text_.starts_with("ms")) {
      text_.remove_prefix(2);
      return kMsNs;
    }
    if (text_.empty()) return std::nullopt;
    const char c = text_.front();
    text_.remove_prefix(1);
    switch (c) {
      case 's':
        return 1'000 * kMsNs;
      case 'm':
        return 60'000 * kMsNs;
      case 'h':
        return 3'600'000 * kMsNs;
      default:
        return std::nullopt;
    }
  }

  static std::uint64_t Whole(std::string_view digits, std::uint64_t cap) {
    std::uint64_t value = 0;
    for (const char c : digits) {
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      if (value >= cap) return cap;
    }
    return value;
  }

  /// 0.digits of a unit. 18 digits reach below a nanosecond of an hour.
  static Nanoseconds Fraction(std::string_view digits, Nanoseconds unit) {
    unsigned __int128 value = 0;
    std::uint64_t scale = 1;
    for (const char c : digits.substr(0, 18)) {
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
      scale *= 10;
    }
    return static_cast<Nanoseconds>(value * unit / scale);
  }

  std::string_view text_;
};

tl::unexpected<Error> Bad(std::string_view text, std::string_view what) {
  return Fail(ErrorCode::kInvalid, Quote(text) + " " + std::string(what) +
                                       "; write it like 300ms, 90s, 10m, 1.5h or 1h30m, more than "
                                       "0 and at most 720h");
}

}  // namespace

Expected<std::chrono::nanoseconds> ParseNanoseconds(std::string_view text) {
  Reader reader(text);
  Nanoseconds sum = 0;
  if (reader.done()) return Bad(text, "is not a duration");
  while (!reader.done()) {
    const std::optional<Nanoseconds> term = reader.Term();
    if (!term) return Bad(text, "is not a duration");
    if (sum <= kMaxNs) sum += *term;  // once over the limit it stays over
  }
  if (sum == 0) return Bad(text, "is no time at all");
  if (sum > kMaxNs) return Bad(text, "is too long");
  return std::chrono::nanoseconds(static_cast<std::int64_t>(sum));
}

Expected<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  const auto exact = ParseNanoseconds(text);
  if (!exact) return tl::unexpected<Error>(exact.error());
  return std::chrono::ceil<std::chrono::milliseconds>(*exact);
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  const bool negative = duration.count() < 0;
  auto rest = static_cast<std::uint64_t>(duration.count());
  if (negative) rest = 0 - rest;
  if (rest == 0) return "0s";
  std::string out = negative ? "-" : "";
  const auto take = [&](std::uint64_t unit, const char* name) {
    if (rest >= unit) out += std::to_string(rest / unit) + name;
    rest %= unit;
  };
  take(3'600'000, "h");
  take(60'000, "m");
  take(1'000, "s");
  take(1, "ms");
  return out;
}

}  // namespace torchsoak
