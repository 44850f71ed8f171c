#pragma once
// HTTP as the operator needs it: whole replies with a deadline, and pushed streams.
//
// The one implementation stands on cpprestsdk (cpprest_transport.h); nothing above this folder
// knows that. Redirects are never followed (they would carry our token elsewhere) and nothing is
// retried here: who calls knows what a repeated request means.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::http {

/// Header names in lower case. In a request a value of several lines ("a\nb") is sent as several
/// header lines of that name; any other control character is refused with kInvalid.
using Headers = std::map<std::string, std::string>;

/// Where the server is and how it and we prove who we are. PEM texts, not paths: whoever hands out
/// an Endpoint reads the files, and hands out another one when they change.
struct Endpoint {
  std::string scheme = "https";  ///< or "http"
  std::string host;              ///< name, IPv4 or IPv6 literal (without brackets)
  int port = 443;
  std::string base_path;        ///< "" or "/prefix", put before every target
  std::string ca_pem;           ///< only these are trusted; empty: the system's certificates
  std::string server_name;      ///< expected in the certificate instead of `host`; empty: `host`
  bool insecure = false;        ///< do not verify the server at all
  std::string client_cert_pem;  ///< with its chain; empty: none
  std::string client_key_pem;
  bool operator==(const Endpoint&) const = default;
};

/// Called before every request on the caller's thread, by any number of threads: cheap, from a
/// cache. The same pointer means "nothing changed".
using EndpointProvider = std::function<Expected<std::shared_ptr<const Endpoint>>()>;

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

/// Takes a piece of a streamed body, in order, cut anywhere. Called on the thread that called
/// Stream(): while it works, the server is not read (beyond about 1 MiB). Must not throw. Return
/// false to end the stream from our side.
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
