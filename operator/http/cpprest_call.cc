#include "operator/http/cpprest_call.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <system_error>

#include "operator/http/push_buffer.h"

namespace torchsoak::http {
namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

// The library passes the text before the last ":" to the resolver, so IPv6 goes without brackets.
web::uri BaseUri(const Endpoint& endpoint) {
  return web::uri(endpoint.scheme + "://" + endpoint.host + ":" + std::to_string(endpoint.port));
}

http_client_config Config(const Endpoint& endpoint, std::shared_ptr<TlsMaterial> tls,
                          std::chrono::milliseconds silence) {
  http_client_config config;
  config.set_timeout(silence);
  config.set_max_redirects(0);
  config.set_validate_certificates(!endpoint.insecure);
  config.set_ssl_context_callback([tls = std::move(tls)](boost::asio::ssl::context& context) {
    // The library turns the exception into a failure of the one request that connects.
    if (!tls->Apply(context.native_handle())) {
      throw std::runtime_error("the TLS settings were refused");
    }
  });
  return config;
}

bool IsHeaderName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           c == '%';
  });
}

// The library writes headers as they are given: control characters would let a value smuggle in
// headers or whole requests. It also has one value per name, hence the lines in one value.
Expected<std::string> HeaderLines(const std::string& name, const std::string& value) {
  if (!IsHeaderName(name)) return Fail(ErrorCode::kInvalid, "not a header name: " + name);
  std::string lines;
  for (const char c : value) {
    if (c == '\n') {
      lines.append("\r\n").append(name).append(":");
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return Fail(ErrorCode::kInvalid, "control character in the value of header " + name);
    } else {
      lines.push_back(c);
    }
  }
  return lines;
}

Expected<http_request> Build(const Request& request, const Endpoint& endpoint) {
  http_request message(request.method);
  for (const auto& [name, value] : request.headers) {
    const auto lines = HeaderLines(name, value);
    if (!lines) return tl::unexpected(lines.error());
    message.headers().add(name, *lines);
  }
  if (!request.content_type.empty()) message.set_body(request.body, request.content_type);
  // The library verifies the certificate against a Host header if there is one, and sends it as
  // the TLS server name.
  if (!endpoint.server_name.empty()) {
    message.headers().add("Host", endpoint.server_name);
  } else if (endpoint.scheme == "http") {
    message.headers().add("Host", Origin(endpoint).substr(std::string_view("http://").size()));
  }
  message.set_request_uri(web::uri(endpoint.base_path + request.target));
  return message;
}

Headers ToHeaders(const web::http::http_headers& from) {
  Headers to;
  for (const auto& [name, value] : from) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    to[lower] = value;
  }
  return to;
}

void ReportFailure(Exchange& exchange) {
  try {
    throw;
  } catch (const web::http::http_exception& e) {
    // Only this code can be trusted; the others come out of wrongly mapped categories.
    exchange.OnFailure(e.what(), e.error_code() == std::errc::timed_out);
  } catch (const std::exception& e) {
    exchange.OnFailure(e.what(), false);
  } catch (...) {
    exchange.OnFailure("unknown exception in the HTTP library", false);
  }
}

// Runs on the library's threads; must neither block nor throw. It waits for content_ready(): after
// a failure the library leaves a response stream of ours open.
void Follow(const pplx::task<http_response>& request, const std::shared_ptr<Exchange>& exchange) {
  request.then([exchange](const pplx::task<http_response>& answered) {
    try {
      const http_response response = answered.get();
      exchange->OnHeaders(response.status_code(), ToHeaders(response.headers()));
      response.content_ready().then([exchange](const pplx::task<http_response>& complete) {
        try {
          complete.get();
          exchange->OnEnd();
        } catch (...) {
          ReportFailure(*exchange);
        }
      });
    } catch (...) {
      ReportFailure(*exchange);
    }
  });
}

}  // namespace

std::string Origin(const Endpoint& endpoint) {
  const bool ipv6 = endpoint.host.find(':') != std::string::npos;
  const std::string host = ipv6 ? "[" + endpoint.host + "]" : endpoint.host;
  return endpoint.scheme + "://" + host + ":" + std::to_string(endpoint.port);
}

Clients::Clients(std::shared_ptr<const Endpoint> to, std::shared_ptr<TlsMaterial> material,
                 const CpprestOptions& options)
    : endpoint(std::move(to)),
      tls(std::move(material)),
      unary(BaseUri(*endpoint), Config(*endpoint, tls, options.unary_silence)),
      stream(BaseUri(*endpoint), Config(*endpoint, tls, options.stream_silence)) {}

Call::Call(std::shared_ptr<Clients> clients, const Request& request, std::size_t high_water)
    : clients_(std::move(clients)),
      is_read_(request.method == "GET" || request.method == "HEAD"),
      name_(request.method + " " + Origin(*clients_->endpoint) + clients_->endpoint->base_path +
            request.target.substr(0, request.target.find('?'))),
      exchange_(std::make_shared<Exchange>(high_water)) {}

Call::~Call() {
  if (!over_) cancel_.cancel();
  exchange_->Abandon();
}

Status Call::Start(const Request& request, bool stream) {
  auto message = Build(request, *clients_->endpoint);
  if (!message) return tl::unexpected(message.error());
  using Buffer = concurrency::streams::streambuf<uint8_t>;
  message->set_response_stream(Buffer(std::make_shared<PushBuffer>(exchange_)).create_ostream());
  message->set_progress_handler(
      [exchange = exchange_](web::http::message_direction::direction direction, auto) {
        if (direction == web::http::message_direction::upload) exchange->OnSent();
      });
  http_client& client = stream ? clients_->stream : clients_->unary;
  Follow(client.request(*message, cancel_.get_token()), exchange_);
  return {};
}

Exchange::Event Call::Wait(Exchange::Time deadline, const std::stop_token& stop) {
  const auto event = exchange_->Wait(deadline, stop);
  over_ = event == Exchange::Event::kEnd || event == Exchange::Event::kFailed;
  return event;
}

tl::unexpected<Error> Call::FailWith(Exchange::Event event) {
  if (event == Exchange::Event::kStopped) return Fail(ErrorCode::kCancelled, name_ + ": stopped");
  if (event == Exchange::Event::kDeadline) {
    return Fail(ErrorCode::kTimeout, name_ + ": no answer in time");
  }
  if (exchange_->timed_out()) {
    return Fail(ErrorCode::kTimeout, name_ + ": the connection was silent for too long");
  }
  std::string why = name_ + ": " + exchange_->failure();
  const std::string tls = clients_->tls->TakeProblem();
  if (!tls.empty() && exchange_->status() == 0) why += " (" + tls + ")";
  const bool done_nothing = is_read_ || !exchange_->sent();
  return Fail(done_nothing ? ErrorCode::kUnavailable : ErrorCode::kUnknown, std::move(why));
}

tl::unexpected<Error> Call::FailWith(ErrorCode code, const std::string& why) const {
  return Fail(code, name_ + ": " + why);
}

}  // namespace torchsoak::http
