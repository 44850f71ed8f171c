#pragma once
// One line of a watch stream, decoded. Pure.

#include <chrono>
#include <string>
#include <string_view>

#include "common/base/error.h"
#include "common/base/json.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

/// What an ERROR event means, decided on its Status' reason and code, never on its message.
enum class WatchErrorKind {
  kNone,
  kExpired,          ///< 410: the version is too old
  kVersionTooLarge,  ///< 504: the version is newer than what this server has
  kThrottled,        ///< 429
  kInternal,         ///< 500
  kOther,
};

struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  Json object;  ///< empty object for kError
  /// The object's version: for kDeleted that of the deletion. Always a usable one, except for
  /// kError, where it is empty.
  ResourceVersion version;

  // Of kError only.
  WatchErrorKind error = WatchErrorKind::kNone;
  std::chrono::seconds retry_after{0};
  std::string message;  ///< for logs: code, reason and text
};

/// True for a version that a watch may start from: a number, not "" or "0" (those replay
/// everything, unordered).
bool IsUsableVersion(const ResourceVersion& version);

/// kDataLoss when the line is no JSON, of an unknown type, or an object without name, UID or usable
/// version: an event is lost then, and only a new list can repair that.
Expected<WatchEvent> DecodeWatchEvent(std::string_view line);

}  // namespace torchsoak::k8s
