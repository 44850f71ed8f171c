#include "operator/k8s/meta.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace torchsoak::k8s {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// Reads a text from left to right; once something does not fit, `ok` stays false.
struct Scanner {
  std::string_view rest;
  bool ok = true;

  bool Skip(char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }

  void Expect(char c) { ok = ok && Skip(c); }

  int Digits(std::size_t count) {
    int value = 0;
    if (rest.size() < count) ok = false;
    for (std::size_t i = 0; ok && i < count; ++i) {
      const char c = rest[i];
      ok = c >= '0' && c <= '9';
      value = value * 10 + (c - '0');
    }
    if (ok) rest.remove_prefix(count);
    return ok ? value : 0;
  }

  // ".123456789": what is finer than a microsecond is cut off.
  microseconds Fraction() {
    if (!Skip('.')) return microseconds(0);
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
      if (digits < 6) value = value * 10 + (rest.front() - '0');
      ++digits;
      rest.remove_prefix(1);
    }
    ok = ok && digits > 0;
    for (std::size_t i = digits; i < 6; ++i) value *= 10;
    return microseconds(value);
  }

  minutes Offset() {
    if (Skip('Z') || Skip('z')) return minutes(0);
    const bool negative = Skip('-');
    if (!negative) Expect('+');
    const int hour = Digits(2);
    Expect(':');
    const int minute = Digits(2);
    ok = ok && hour < 24 && minute < 60;
    const minutes offset = hours(hour) + minutes(minute);
    return negative ? -offset : offset;
  }
};

std::string Format(WallTime time, bool micro) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<microseconds>(time - day));
  std::array<char, 64> text{};
  int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(text.data(), static_cast<std::size_t>(length));
  if (micro) {
    length = std::snprintf(text.data(), text.size(), ".%06d",
                           static_cast<int>(clock.subseconds().count()));
    out.append(text.data(), static_cast<std::size_t>(length));
  }
  return out + "Z";
}

}  // namespace

ObjectKey KeyOf(const Json& object) {
  return {GetString(object, {"metadata", "namespace"}), GetString(object, {"metadata", "name"})};
}

Uid UidOf(const Json& object) { return GetString(object, {"metadata", "uid"}); }

ResourceVersion VersionOf(const Json& object) {
  return ResourceVersion(GetString(object, {"metadata", "resourceVersion"}));
}

std::optional<ControllerRef> ControllerOf(const Json& object) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return std::nullopt;
  for (const auto& owner : *owners) {
    if (!GetBool(owner, {"controller"})) continue;
    return ControllerRef{GetString(owner, {"apiVersion"}), GetString(owner, {"kind"}),
                         GetString(owner, {"name"}), GetString(owner, {"uid"})};
  }
  return std::nullopt;
}

std::optional<WallTime> ParseTime(std::string_view text) {
  Scanner scan{text};
  const std::chrono::year year(scan.Digits(4));
  scan.Expect('-');
  const std::chrono::month month(static_cast<unsigned>(scan.Digits(2)));
  scan.Expect('-');
  const std::chrono::day day(static_cast<unsigned>(scan.Digits(2)));
  if (!scan.Skip('T')) scan.ok = scan.ok && scan.Skip('t');
  const int hour = scan.Digits(2);
  scan.Expect(':');
  const int minute = scan.Digits(2);
  scan.Expect(':');
  const int second = scan.Digits(2);
  const microseconds fraction = scan.Fraction();
  const minutes offset = scan.Offset();
  const std::chrono::year_month_day date(year, month, day);
  // 60 is a leap second.
  if (!scan.ok || !scan.rest.empty() || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  return WallTime(std::chrono::sys_days(date).time_since_epoch()) + hours(hour) + minutes(minute) +
         seconds(second) + fraction - offset;
}

std::string FormatTime(WallTime time) { return Format(time, false); }

std::string FormatMicroTime(WallTime time) { return Format(time, true); }

const Json* FindCondition(const Json& conditions, std::string_view type) {
  if (!conditions.is_array()) return nullptr;
  for (const auto& condition : conditions) {
    if (GetString(condition, {"type"}) == type) return &condition;
  }
  return nullptr;
}

}  // namespace torchsoak::k8s
