#pragma once
// The API server's verbs on JSON objects, with Kubernetes' errors turned into ours.
//
// Decides on the Status' `reason`, never on its message. Retries inside: reads on connection loss
// and 5xx, any verb on 429/503 with Retry-After (those were not executed), at most 10 times and
// never past the deadline. A write whose fate is unknown returns kUnknown: observe again.
// On 401 a token older than the request is dropped and the call is repeated once.
// Thread-safe; blocks the calling thread; owns nothing but its transports.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int limit = 500;
  std::string continue_token;
};

/// One page. `version` is the list's; `next` is empty on the last page.
struct ListPage {
  std::vector<Json> items;
  ResourceVersion version;
  std::string next;
};

struct DeleteOptions {
  Uid uid;                                 ///< precondition; required, so that a namesake survives
  std::string propagation = "Foreground";  ///< or "Background"
  std::optional<int> grace_seconds;
};

struct LogOptions {
  std::string container = "runner";
  std::optional<int> tail_lines;
  std::size_t limit_bytes = 8U << 20U;
  bool follow = false;  ///< stream until the container ends
};

/// Field manager of every write.
inline constexpr std::string_view kFieldManager = "torchsoak";

class Client {
 public:
  virtual ~Client() = default;

  virtual Expected<Json> Get(const ResourceType& type, const ObjectKey& key,
                             std::stop_token stop) = 0;

  /// One page of a list; ns "" lists all namespaces.
  virtual Expected<ListPage> List(const ResourceType& type, const std::string& ns,
                                  const ListOptions& options, std::stop_token stop) = 0;

  /// POST. kExists when the name is taken (look at the owner before you call it a failure).
  virtual Expected<Json> Create(const ResourceType& type, const std::string& ns, const Json& object,
                                std::stop_token stop) = 0;

  /// PUT with the object's own resourceVersion. kConflict when it is stale.
  virtual Expected<Json> Update(const ResourceType& type, const ObjectKey& key, const Json& object,
                                std::stop_token stop) = 0;

  /// Server-side apply of /status with force. The patch must carry metadata.uid and
  /// metadata.resourceVersion: a stale one is refused with kConflict, a re-created object never
  /// resurrected.
  virtual Expected<Json> ApplyStatus(const ResourceType& type, const ObjectKey& key,
                                     const Json& patch, std::stop_token stop) = 0;

  /// RFC 7386 merge patch (used for Event series).
  virtual Expected<Json> MergePatch(const ResourceType& type, const ObjectKey& key,
                                    const Json& patch, std::stop_token stop) = 0;

  /// DELETE with a UID precondition. Already gone or another UID there: success.
  virtual Status Delete(const ResourceType& type, const ObjectKey& key,
                        const DeleteOptions& options, std::stop_token stop) = 0;

  /// pods/log, pushed in pieces cut anywhere. Value = the log ended; kNotFound, kUnavailable, ...
  virtual Status ReadLog(const ObjectKey& pod, const LogOptions& options,
                         const std::function<bool(std::string_view)>& sink,
                         std::stop_token stop) = 0;

  /// A watch stream from `version` with bookmarks: raw bytes into `sink`. Value = clean end;
  /// kExpired = HTTP 410; others as in Transport.
  virtual Status Watch(const ResourceType& type, const std::string& ns, const ListOptions& options,
                       const ResourceVersion& version, int timeout_seconds,
                       const std::function<bool(std::string_view)>& sink, std::stop_token stop) = 0;
};

}  // namespace torchsoak::k8s
