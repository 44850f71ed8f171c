#include "operator/http/cpprest_transport.h"

#include <utility>

#include <pplx/threadpool.h>

#include <mutex>

#include "operator/http/cpprest_call.h"

namespace torchsoak::http {
namespace {

using Clock = std::chrono::steady_clock;

// An HTTP error on a stream says why in a small Status object.
constexpr std::size_t kLargestErrorBody = 1U << 20U;

/// A missing or damaged file of ours says nothing about the object that the request is about: its
/// kNotFound or kInvalid must not reach who asked for that object.
tl::unexpected<Error> NotReady(const Error& error) {
  const bool keep = error.code == ErrorCode::kCancelled || error.code == ErrorCode::kTimeout;
  return Fail(keep ? error.code : ErrorCode::kUnavailable, "connection settings: " + error.message);
}

/// Reads the rest of a body into `response`.
Status Collect(Call& call, Clock::time_point deadline, std::size_t largest,
               const std::stop_token& stop, Response& response) {
  while (true) {
    const auto event = call.Wait(deadline, stop);
    switch (event) {
      case Exchange::Event::kHeaders:
        response.status = call.exchange().status();
        response.headers = call.exchange().headers();
        break;
      case Exchange::Event::kBody:
        response.body.append(call.exchange().TakeBody());
        if (response.body.size() > largest) {
          return call.FailWith(ErrorCode::kTooLarge,
                               "the reply has more than " + std::to_string(largest) + " bytes");
        }
        break;
      case Exchange::Event::kEnd:
        return {};
      default:
        return call.FailWith(event);
    }
  }
}

/// Passes the body of a stream on until it ends.
Status Pump(Call& call, const StreamLimits& limits, const Sink& sink, const std::stop_token& stop) {
  while (true) {
    const auto event = call.Wait(Clock::now() + limits.idle, stop);
    if (event == Exchange::Event::kEnd) return {};
    if (event != Exchange::Event::kBody) return call.FailWith(event);
    if (!sink(call.exchange().TakeBody())) {
      return call.FailWith(ErrorCode::kCancelled, "ended by the reader");
    }
  }
}

bool Same(const std::shared_ptr<const Endpoint>& a, const std::shared_ptr<const Endpoint>& b) {
  return a == b || (a && b && *a == *b);
}

}  // namespace

class CpprestTransport::Impl {
 public:
  Impl(EndpointProvider provider, CpprestOptions given)
      : options(std::move(given)), provider_(std::move(provider)) {}

  /// The connections to the endpoint of this moment.
  Expected<std::shared_ptr<Clients>> Current() {
    const auto endpoint = provider_();
    if (!endpoint) return NotReady(endpoint.error());
    std::unique_lock lock(mutex_);
    if (clients_ && (Same(clients_->endpoint, *endpoint) || Same(refused_, *endpoint))) {
      return clients_;
    }
    auto tls = TlsMaterial::Parse(**endpoint);
    if (tls) {
      clients_ = std::make_shared<Clients>(*endpoint, std::move(*tls), options);
      return clients_;
    }
    if (!clients_) return NotReady(tls.error());
    // A half-written new file must not cut us off: the old trust was good until now.
    refused_ = *endpoint;
    auto clients = clients_;
    lock.unlock();
    if (options.on_problem) {
      options.on_problem("the changed connection settings for " + Origin(**endpoint) +
                         " are not used: " + tls.error().message);
    }
    return clients;
  }

  const CpprestOptions options;

 private:
  const EndpointProvider provider_;
  std::mutex mutex_;  // guards all below
  std::shared_ptr<Clients> clients_;
  std::shared_ptr<const Endpoint> refused_;
};

Status InitThreads(int threads) {
  try {
    crossplat::threadpool::initialize_with_threads(static_cast<std::size_t>(threads));
    return {};
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kInternal, std::string("starting the HTTP threads: ") + e.what());
  }
}

CpprestTransport::CpprestTransport(EndpointProvider endpoint, CpprestOptions options)
    : impl_(std::make_unique<Impl>(std::move(endpoint), std::move(options))) {}

CpprestTransport::~CpprestTransport() = default;

Expected<Response> CpprestTransport::Send(const Request& request,
                                          std::chrono::milliseconds deadline,
                                          std::stop_token stop) {
  const auto until = Clock::now() + deadline;
  try {
    auto clients = impl_->Current();
    if (!clients) return tl::unexpected(clients.error());
    Call call(std::move(*clients), request, impl_->options.high_water);
    if (const auto ok = call.Start(request, false); !ok) return tl::unexpected(ok.error());
    Response response;
    const auto ok = Collect(call, until, impl_->options.largest_reply, stop, response);
    if (!ok) return tl::unexpected(ok.error());
    return response;
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kInternal, request.method + " " + request.target + ": " + e.what());
  }
}

Expected<Response> CpprestTransport::Stream(const Request& request, const StreamLimits& limits,
                                            const Sink& sink, std::stop_token stop) {
  const auto until = Clock::now() + limits.headers;
  try {
    auto clients = impl_->Current();
    if (!clients) return tl::unexpected(clients.error());
    Call call(std::move(*clients), request, impl_->options.high_water);
    if (const auto ok = call.Start(request, true); !ok) return tl::unexpected(ok.error());
    const auto event = call.Wait(until, stop);
    if (event != Exchange::Event::kHeaders) return call.FailWith(event);
    Response response{call.exchange().status(), call.exchange().headers(), ""};
    if (response.status == 200) {
      if (const auto ok = Pump(call, limits, sink, stop); !ok) return tl::unexpected(ok.error());
      return response;
    }
    const auto ok = Collect(call, Clock::now() + limits.headers, kLargestErrorBody, stop, response);
    // The status is known; half an explanation is better than none.
    if (!ok && ok.error().code == ErrorCode::kCancelled) return tl::unexpected(ok.error());
    return response;
  } catch (const std::exception& e) {
    return Fail(ErrorCode::kInternal, request.method + " " + request.target + ": " + e.what());
  }
}

}  // namespace torchsoak::http
