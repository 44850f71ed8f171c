#pragma once
// The Transport on cpprestsdk: the only file that knows how the operator speaks HTTP.
//
// Each call is handed to the library's thread pool and waited for on the calling thread, with
// deadlines of our own: the library's timer only notices silence. Redirects are off, TLS 1.2 is the
// minimum, a named CA replaces the system's, and bodies are pushed (push_buffer.h). Whole replies
// and streams use separate connection pools.
//
// Known limits of the library: HTTP/1.1 only; a chunk of a streamed body is read whole before it is
// passed on; a stream without chunks or length comes in 64 KiB blocks; a hung name server holds up
// every new connection of the process (prefer the numeric service address); a write on a re-used
// connection that the server closes without an answer is sent again once by the library itself.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "operator/http/transport.h"

namespace torchsoak::http {

/// Sets the size of the library's thread pool, which serves all transports. Call it first thing in
/// main: the second call, or one after the first request, fails with kInternal.
Status InitThreads(int threads = 8);

struct CpprestOptions {
  std::size_t largest_reply = 64U << 20U;  ///< bytes of a whole reply; above: kTooLarge
  std::size_t high_water = 1U << 20U;      ///< unread bytes of a stream before the server must wait

  /// The library's own timers: silence on a connection that ends it whatever the caller allows.
  std::chrono::milliseconds unary_silence{15'000};
  std::chrono::milliseconds stream_silence{150'000};

  /// Told in words when a changed endpoint is refused (a damaged certificate, say) and the old one
  /// stays in use; once for each change. Called on a calling thread.
  std::function<void(const std::string&)> on_problem;
};

/// Thread-safe. Outlives its calls. Give the leader election an instance of its own, so that its
/// renewals never wait behind other traffic.
class CpprestTransport final : public Transport {
 public:
  explicit CpprestTransport(EndpointProvider endpoint, CpprestOptions options = {});
  ~CpprestTransport() override;

  Expected<Response> Send(const Request& request, std::chrono::milliseconds deadline,
                          std::stop_token stop) override;
  Expected<Response> Stream(const Request& request, const StreamLimits& limits, const Sink& sink,
                            std::stop_token stop) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchsoak::http
