#include "common/base/log.h"

#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <string>

namespace torchsoak {
namespace {

std::atomic<int> g_fd{2};
std::atomic<LogLevel> g_least{LogLevel::kInfo};

std::string_view Name(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

/// "2026-01-02T03:04:05.678901Z"
std::string Now() {
  using std::chrono::microseconds;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<microseconds>(since).count();
  const std::time_t seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char date[40];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
  char all[64];
  std::snprintf(all, sizeof all, "%s.%06dZ", date, static_cast<int>(micros % 1'000'000));
  return all;
}

void WriteAll(int fd, std::string_view line) {
  // One write(2) a line; the lock only matters when a pipe takes part of a line.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  while (!line.empty()) {
    const ssize_t n = ::write(fd, line.data(), line.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody to tell
    line.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

void ConfigureLog(int fd, LogLevel least) {
  g_fd = fd;
  g_least = least;
}

void Log(LogLevel level, std::string_view message, const Json& fields) {
  if (level < g_least) return;
  assert(fields.is_object());
  std::string line = R"({"time":")" + Now() + R"(","level":")" + std::string(Name(level)) +
                     R"(","msg":)" + DumpJson(std::string(message));
  if (fields.is_object() && !fields.empty()) {
    line += ',';
    line += DumpJson(fields).substr(1);
  } else {
    line += '}';
  }
  line += '\n';
  WriteAll(g_fd, line);
}

}  // namespace torchsoak
