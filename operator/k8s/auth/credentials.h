#pragma once
// Who we are to the API server: headers for every request, renewed as needed.

#include <stop_token>

#include "common/base/clock.h"
#include "operator/http/transport.h"

namespace torchsoak::k8s {

/// Thread-safe. Outlives its users.
class Credentials {
 public:
  virtual ~Credentials() = default;

  /// Headers to put on one request ("authorization", "impersonate-user", ...). May read a file or
  /// run a plugin, on the calling thread; `stop` ends the waiting with kCancelled. An Error means
  /// that there is nothing to send, not even an older value.
  virtual Expected<http::Headers> Get(std::stop_token stop) = 0;

  /// The server answered 401 to a request that was started at `request_start` (boot time). Forgets
  /// what it gave out if that is older, so that the next Get() renews it. True when a repeated
  /// request has a chance: something was forgotten, now or by another thread since.
  virtual bool Reject(BootTime request_start) = 0;
};

/// No credentials: a proxy in front adds them, or the server asks for none, or a client certificate
/// is enough.
class NoCredentials final : public Credentials {
 public:
  Expected<http::Headers> Get(std::stop_token) override { return http::Headers{}; }
  bool Reject(BootTime) override { return false; }
};

/// Headers that never change.
class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(http::Headers headers) : headers_(std::move(headers)) {}
  Expected<http::Headers> Get(std::stop_token) override { return headers_; }
  bool Reject(BootTime) override { return false; }

 private:
  const http::Headers headers_;
};

}  // namespace torchsoak::k8s
