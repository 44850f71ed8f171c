#include "runner/report/utc.h"

#include <cstdio>
#include <ctime>

namespace torchsoak::runner {
namespace {

std::string Format(WallTime time, const char* pattern) {
  const auto seconds = static_cast<std::time_t>(
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count());
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[64];
  const std::size_t size = std::strftime(text, sizeof text, pattern, &utc);
  return {text, size};
}

}  // namespace

std::string FormatUtc(WallTime time) {
  const auto since = time.time_since_epoch();
  const auto part = since - std::chrono::floor<std::chrono::seconds>(since);
  char millis[16];
  std::snprintf(
      millis, sizeof millis, ".%03dZ",
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(part).count() % 1000));
  return Format(time, "%Y-%m-%dT%H:%M:%S") + millis;
}

std::string CompactUtc(WallTime time) { return Format(time, "%Y%m%dT%H%M%SZ"); }

}  // namespace torchsoak::runner
