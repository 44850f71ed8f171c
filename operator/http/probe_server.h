#pragma once
// Health and metrics endpoint on one thread of its own, so that neither a starved thread pool nor a
// slow or hostile client can make a liveness probe fail.
//
// Not on CivetWeb (prometheus-cpp's server): it gives each connection a thread, so a handful of
// clients that send nothing would hold all of them and the probes would wait in the queue. Here a
// connection is a few kilobytes; above the limit the oldest one that has not been answered goes.
// GET and HEAD only, HTTP/1.1, "Connection: close" on every reply, no TLS, no bodies read.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::http {

struct ProbeReply {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

/// Called on the server's thread with the query ("verbose" of "/readyz?verbose"): answers from
/// memory, does not block. An exception becomes status 500.
using ProbeHandler = std::function<ProbeReply(std::string_view query)>;

struct ProbeLimits {
  std::chrono::milliseconds read{5'000};   ///< from accept to the end of the request's head
  std::chrono::milliseconds write{5'000};  ///< for the whole reply
  std::size_t header_bytes = 8U << 10U;
  std::size_t connections = 64;
};

class ProbeServer {
 public:
  /// Listens on ":8081" (every address, IPv4 and IPv6), "127.0.0.1:8081" or "[::1]:8081"; port 0
  /// picks a free one. `handlers` by exact path ("/healthz"); anything else is a 404. kInvalid for
  /// an unreadable address, kUnavailable when the port is taken.
  static Expected<std::unique_ptr<ProbeServer>> Start(const std::string& address,
                                                      std::map<std::string, ProbeHandler> handlers,
                                                      ProbeLimits limits = {});

  /// Drops all connections and joins the thread.
  ~ProbeServer();
  ProbeServer(const ProbeServer&) = delete;
  ProbeServer& operator=(const ProbeServer&) = delete;

  /// The port that is really listened on.
  int Port() const;

 private:
  class Impl;
  explicit ProbeServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::http
