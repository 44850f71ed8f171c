#include "operator/k8s/api_error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "common/base/json.h"

namespace torchsoak::k8s {
namespace {

constexpr std::size_t kLongestMessage = 1024;
constexpr std::size_t kMostCauses = 8;

constexpr std::array<std::pair<std::string_view, ErrorCode>, 19> kReasons = {{
    {"NotFound", ErrorCode::kNotFound},
    {"AlreadyExists", ErrorCode::kExists},
    {"Conflict", ErrorCode::kConflict},
    {"Expired", ErrorCode::kExpired},
    {"Gone", ErrorCode::kExpired},
    {"Invalid", ErrorCode::kInvalid},
    {"BadRequest", ErrorCode::kInvalid},
    {"MethodNotAllowed", ErrorCode::kInvalid},
    {"NotAcceptable", ErrorCode::kInvalid},
    {"UnsupportedMediaType", ErrorCode::kInvalid},
    {"Unauthorized", ErrorCode::kForbidden},
    {"Forbidden", ErrorCode::kForbidden},
    {"RequestEntityTooLarge", ErrorCode::kTooLarge},
    {"TooManyRequests", ErrorCode::kThrottled},
    {"ServerTimeout", ErrorCode::kUnavailable},
    {"Timeout", ErrorCode::kUnavailable},
    {"ServiceUnavailable", ErrorCode::kUnavailable},
    {"InternalError", ErrorCode::kUnavailable},
    {"StorageReadError", ErrorCode::kUnavailable},
}};

ErrorCode CodeOfHttp(int status) {
  switch (status) {
    case 401:
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kConflict;
    case 410:
      return ErrorCode::kExpired;
    case 413:
      return ErrorCode::kTooLarge;
    case 429:
      return ErrorCode::kThrottled;
    default:
      break;
  }
  // A redirect is not followed; it comes from something in between, not from an API server.
  return status >= 400 && status < 500 ? ErrorCode::kInvalid : ErrorCode::kUnavailable;
}

ErrorCode CodeOf(const ApiError& error) {
  const auto found = std::find_if(kReasons.begin(), kReasons.end(),
                                  [&](const auto& entry) { return entry.first == error.reason; });
  return found != kReasons.end() ? found->second : CodeOfHttp(error.http_status);
}

std::optional<std::chrono::seconds> ParseSeconds(std::string_view text) {
  int seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || stop != end || seconds < 0 || seconds > 3600) return std::nullopt;
  return std::chrono::seconds(seconds);
}

// Foreign text for a log line: one line, printable, short.
std::string Tame(std::string_view text, std::size_t longest) {
  std::string out(text.substr(0, longest));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  if (text.size() > longest) out += "...";
  return out;
}

void ReadCauses(const Json& status, ApiError& error) {
  const Json* causes = Find(status, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return;
  for (const auto& cause : *causes) {
    if (error.causes.size() == kMostCauses) return;
    error.causes.push_back({Tame(GetString(cause, {"field"}), 256),
                            Tame(GetString(cause, {"message"}), kLongestMessage)});
  }
}

}  // namespace

ApiError ParseApiError(int http_status, std::string_view body, std::string_view retry_after) {
  ApiError error;
  error.http_status = http_status;
  error.retry_after = ParseSeconds(retry_after);
  const auto status = ParseJson(body);
  if (!status || GetString(*status, {"kind"}) != "Status") {
    error.message = Tame(body, 200);
    return error;
  }
  error.reason = Tame(GetString(*status, {"reason"}), 64);
  error.message = Tame(GetString(*status, {"message"}), kLongestMessage);
  if (!error.retry_after) {
    const auto seconds = GetInt(*status, {"details", "retryAfterSeconds"});
    if (seconds && *seconds > 0 && *seconds <= 3600) {
      error.retry_after = std::chrono::seconds(*seconds);
    }
  }
  ReadCauses(*status, error);
  return error;
}

bool NotExecuted(const ApiError& error) {
  return (error.http_status == 429 || error.http_status == 503) && error.retry_after.has_value();
}

Error ToError(const ApiError& error, bool is_write, std::string_view what) {
  ErrorCode code = CodeOf(error);
  if (NotExecuted(error)) {
    code = ErrorCode::kThrottled;
  } else if (is_write && error.http_status >= 500 && code == ErrorCode::kUnavailable) {
    code = ErrorCode::kUnknown;
  }
  std::string message(what);
  message += ": HTTP " + std::to_string(error.http_status);
  if (!error.reason.empty()) message += " " + error.reason;
  if (!error.message.empty()) message += ": " + error.message;
  // The API server's message already lists the causes of Invalid.
  if (error.message.empty()) {
    for (const auto& cause : error.causes) message += "; " + cause.field + ": " + cause.message;
  }
  return Error{code, std::move(message)};
}

}  // namespace torchsoak::k8s
