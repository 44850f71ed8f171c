#pragma once
// HTTP as the operator needs it: whole replies with a deadline, and pushed streams.
//
// The one implementation stands on cpprestsdk (cpprest_transport.h); nothing above this folder
// knows that. Redirects are never followed (they would carry our token elsewhere) and nothing is
// retried here: who calls knows what a repeated request means.

#include <chrono>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::http {

/// Header names in lower case.
using Headers = std::map<std::string, std::string>;

struct Request {
  std::string method = "GET";
  std::string target;  ///< path and query, already escaped: "/api/v1/pods?limit=500"
  Headers headers;
  std::string body;
  std::string content_type;  ///< empty: no body
};

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
};

/// Takes a piece of a streamed body, in order, cut anywhere. Called on a thread of the transport:
/// must not block for long and must not throw. Return false to end the stream from our side.
using Sink = std::function<bool(std::string_view piece)>;

struct StreamLimits {
  std::chrono::milliseconds headers{15'000};  ///< from sending to the last header
  std::chrono::milliseconds idle{150'000};    ///< without a byte: the connection is given up
};

/// Thread-safe. A call blocks its thread until it is over; `stop` ends it early with kCancelled.
class Transport {
 public:
  virtual ~Transport() = default;

  /// One request, one whole reply (at most 64 MiB). An HTTP error status is a Response, not an
  /// Error. Errors: kUnavailable before anything was sent for sure, or for GET in general;
  /// kUnknown when a write may have reached the server; kTimeout (same doubt as kUnknown for
  /// writes); kCancelled; kTooLarge.
  virtual Expected<Response> Send(const Request& request, std::chrono::milliseconds deadline,
                                  std::stop_token stop) = 0;

  /// Streams a body into `sink` until the server ends it (value), or it fails (Error: kTimeout =
  /// idle, kUnavailable = connection lost, kCancelled = stop or the sink said false). With a
  /// status other than 200 the sink is not called and the body is in the Response.
  virtual Expected<Response> Stream(const Request& request, const StreamLimits& limits,
                                    const Sink& sink, std::stop_token stop) = 0;
};

}  // namespace torchsoak::http
