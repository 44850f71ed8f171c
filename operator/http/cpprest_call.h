#pragma once
// A single request on cpprestsdk, from the message that is built to the event that ends it.
//
// The inside of cpprest_transport.cc: nothing else includes this header, and nothing here retries,
// follows redirects or blocks a thread of the library.

#include <utility>

#include <cpprest/http_client.h>

#include <memory>
#include <stop_token>
#include <string>

#include "operator/http/cpprest_transport.h"
#include "operator/http/exchange.h"
#include "operator/http/tls.h"

namespace torchsoak::http {

/// "https://host:port", brackets around IPv6: for messages and the Host header.
std::string Origin(const Endpoint& endpoint);

/// One endpoint's connections. Replaced as a whole; requests in flight keep the old one alive.
struct Clients {
  Clients(std::shared_ptr<const Endpoint> to, std::shared_ptr<TlsMaterial> material,
          const CpprestOptions& options);

  const std::shared_ptr<const Endpoint> endpoint;
  const std::shared_ptr<TlsMaterial> tls;
  web::http::client::http_client unary;
  web::http::client::http_client stream;
};

/// A request on its way. Leaving the scope early closes the connection and drops the rest. Used by
/// one thread; may throw the library's exceptions.
class Call {
 public:
  Call(std::shared_ptr<Clients> clients, const Request& request, std::size_t high_water);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

  /// kInvalid when the request cannot be sent as it is.
  Status Start(const Request& request, bool stream);

  Exchange::Event Wait(Exchange::Time deadline, const std::stop_token& stop);

  Exchange& exchange() { return *exchange_; }

  /// The Error for an event that ends a call early.
  tl::unexpected<Error> FailWith(Exchange::Event event);
  tl::unexpected<Error> FailWith(ErrorCode code, const std::string& why) const;

 private:
  const std::shared_ptr<Clients> clients_;
  const bool is_read_;
  const std::string name_;  // method and address, without the query: for messages
  const std::shared_ptr<Exchange> exchange_;
  pplx::cancellation_token_source cancel_;
  bool over_ = false;
};

}  // namespace torchsoak::http
