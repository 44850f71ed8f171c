#pragma once
// What the transport's tests share: endpoints of loopback servers, and short calls.

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "operator/http/cpprest_transport.h"
#include "tests/unit/operator/http/loopback_server.h"

namespace torchsoak::http {

/// Far longer than anything here takes: its end is a failure.
inline constexpr std::chrono::seconds kLong{60};

inline EndpointProvider Fixed(Endpoint endpoint) {
  auto shared = std::make_shared<const Endpoint>(std::move(endpoint));
  return [shared]() -> Expected<std::shared_ptr<const Endpoint>> { return shared; };
}

inline Endpoint Plain(int port) {
  Endpoint endpoint;
  endpoint.scheme = "http";
  endpoint.host = "127.0.0.1";
  endpoint.port = port;
  return endpoint;
}

inline Endpoint Secure(int port, std::string ca_pem) {
  Endpoint endpoint = Plain(port);
  endpoint.scheme = "https";
  endpoint.ca_pem = std::move(ca_pem);
  return endpoint;
}

inline Request Get(std::string target = "/") {
  Request request;
  request.target = std::move(target);
  return request;
}

inline Request Post(std::string body) {
  Request request;
  request.method = "POST";
  request.target = "/";
  request.body = std::move(body);
  request.content_type = "application/json";
  return request;
}

inline ErrorCode CodeOf(const Expected<Response>& response) {
  return response ? ErrorCode::kInternal : response.error().code;
}

}  // namespace torchsoak::http
