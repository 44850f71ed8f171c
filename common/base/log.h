#pragma once
// Structured logs: one JSON object a line on standard error (operator) or standard output
// (runner in a pod). Thread-safe; a line is written with one write(2).

#include <string_view>

#include "common/base/json.h"

namespace torchsoak {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Sets where lines go (a file descriptor; default 2) and the least level written (default kInfo).
/// Call once, before threads start.
void ConfigureLog(int fd, LogLevel least);

/// {"time":"…Z","level":"info","msg":message,…fields}. `fields` must be an object.
void Log(LogLevel level, std::string_view message, const Json& fields = Json::object());

}  // namespace torchsoak
