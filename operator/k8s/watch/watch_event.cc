#include "operator/k8s/watch/watch_event.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace torchsoak::k8s {
namespace {

constexpr std::int64_t kLongestRetryAfter = 300;

std::optional<WatchEventType> TypeOf(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  if (text == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

bool HasCause(const Json& status, std::string_view reason) {
  const Json* causes = Find(status, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return false;
  return std::any_of(causes->begin(), causes->end(), [reason](const Json& cause) {
    return GetString(cause, {"reason"}) == reason;
  });
}

WatchErrorKind KindOf(const Json& status) {
  const std::string reason = GetString(status, {"reason"});
  const std::int64_t code = GetInt(status, {"code"}).value_or(0);
  if (reason == "Expired" || reason == "Gone" || code == 410) return WatchErrorKind::kExpired;
  if (HasCause(status, "ResourceVersionTooLarge")) return WatchErrorKind::kVersionTooLarge;
  if (reason == "TooManyRequests" || code == 429) return WatchErrorKind::kThrottled;
  if (reason == "InternalError" || code == 500) return WatchErrorKind::kInternal;
  return WatchErrorKind::kOther;
}

WatchEvent DecodeError(const Json& status) {
  WatchEvent event;
  event.object = Json::object();
  event.error = KindOf(status);
  const std::int64_t seconds = GetInt(status, {"details", "retryAfterSeconds"}).value_or(0);
  event.retry_after =
      std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestRetryAfter));
  event.message = std::to_string(GetInt(status, {"code"}).value_or(0)) + " " +
                  GetString(status, {"reason"}, "without a reason") + ": " +
                  GetString(status, {"message"}, "no message");
  return event;
}

tl::unexpected<Error> Lost(std::string_view why, std::string_view line) {
  return Fail(ErrorCode::kDataLoss, "watch event lost: " + std::string(why) + " in \"" +
                                        std::string(line.substr(0, 120)) + "\"");
}

}  // namespace

bool IsUsableVersion(const ResourceVersion& version) {
  return version >= ResourceVersion("1");  // whatever is no number compares as older
}

Expected<WatchEvent> DecodeWatchEvent(std::string_view line) {
  Expected<Json> json = ParseJson(line);
  if (!json) return Lost(json.error().message, line);
  const std::optional<WatchEventType> type = TypeOf(GetString(*json, {"type"}));
  if (!type) return Lost("unknown type", line);
  if (Find(*json, {"object"}) == nullptr) return Lost("no object", line);
  Json& object = (*json)["object"];
  if (*type == WatchEventType::kError) return DecodeError(object);

  WatchEvent event;
  event.type = *type;
  event.version = ResourceVersion(GetString(object, {"metadata", "resourceVersion"}));
  if (!IsUsableVersion(event.version)) return Lost("no usable resourceVersion", line);
  const bool anonymous = GetString(object, {"metadata", "name"}).empty() ||
                         GetString(object, {"metadata", "uid"}).empty();
  if (*type != WatchEventType::kBookmark && anonymous) return Lost("no name or uid", line);
  event.object = std::move(object);
  return event;
}

}  // namespace torchsoak::k8s
