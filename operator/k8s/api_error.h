#pragma once
// What the API server says when it does not do something: metav1.Status turned into an Error.
//
// The `reason` decides, never the message (messages change between versions, and quote names that
// users choose). Replies that are no Status (a proxy's HTML page) are judged by the HTTP code.
// Pure functions.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::k8s {

struct ApiError {
  struct Cause {
    std::string field;    ///< "spec.mode"
    std::string message;  ///< what is wrong with it
  };

  int http_status = 0;
  std::string reason;  ///< "NotFound", "Conflict", ...; "" when the body was no Status
  std::string message;
  std::vector<Cause> causes;
  std::optional<std::chrono::seconds> retry_after;  ///< from the header, else from the body
};

/// `retry_after` is the header's value, "" when there is none. Reads whole seconds (0 to 3600); the
/// API server sends no dates.
ApiError ParseApiError(int http_status, std::string_view body, std::string_view retry_after);

/// True when the server refused the request before doing anything and named a time to come back.
bool NotExecuted(const ApiError& error);

/// A write (`is_write`) that failed with a 5xx may have happened all the same (etcd's time-outs are
/// told as 500): kUnknown. `what` is put in front: "creating Job a/b".
Error ToError(const ApiError& error, bool is_write, std::string_view what);

}  // namespace torchsoak::k8s
