#include "operator/http/probe_server.h"

#include <utility>

#include <pthread.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <charconv>
#include <list>
#include <optional>
#include <thread>

namespace torchsoak::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

// After accept() fails for want of file descriptors, at once again would burn the processor.
constexpr std::chrono::milliseconds kAcceptPause{100};

using Handlers = std::map<std::string, ProbeHandler>;
using HttpRequest = beast::http::request<beast::http::empty_body>;
using HttpReply = beast::http::response<beast::http::string_body>;

ProbeReply Answer(const Handlers& handlers, const HttpRequest& request) {
  if (request.method() != beast::http::verb::get && request.method() != beast::http::verb::head) {
    return {405, "text/plain; charset=utf-8", "only GET and HEAD\n"};
  }
  const std::string target(request.target().data(), request.target().size());
  const auto question = target.find('?');
  const auto handler = handlers.find(target.substr(0, question));
  if (handler == handlers.end()) return {404, "text/plain; charset=utf-8", "not found\n"};
  try {
    return handler->second(question == std::string::npos
                               ? std::string_view()
                               : std::string_view(target).substr(question + 1));
  } catch (const std::exception&) {
    return {500, "text/plain; charset=utf-8", "internal error\n"};
  }
}

/// One connection, on the server's thread. Kept alive by its pending operation alone.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const Handlers& handlers, const ProbeLimits& limits)
      : stream_(std::move(socket)), handlers_(handlers), limits_(limits) {
    parser_.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  }

  void Start() {
    stream_.expires_after(limits_.read);
    beast::http::async_read_header(stream_, buffer_, parser_,
                                   [self = shared_from_this()](error_code error, std::size_t) {
                                     if (!error) self->Reply();
                                   });
  }

  void Close() { stream_.close(); }

 private:
  void Reply() {
    const HttpRequest& request = parser_.get();
    ProbeReply answer = Answer(handlers_, request);
    reply_.result(static_cast<unsigned>(answer.status));
    reply_.version(11);
    reply_.keep_alive(false);
    reply_.set(beast::http::field::content_type, answer.content_type);
    const std::size_t size = answer.body.size();
    if (request.method() != beast::http::verb::head) reply_.body() = std::move(answer.body);
    reply_.content_length(size);
    stream_.expires_after(limits_.write);
    serializer_.emplace(reply_);
    serializer_->split(request.method() == beast::http::verb::head);
    auto done = [self = shared_from_this()](error_code, std::size_t) { self->Shut(); };
    if (request.method() == beast::http::verb::head) {
      beast::http::async_write_header(stream_, *serializer_, std::move(done));
    } else {
      beast::http::async_write(stream_, *serializer_, std::move(done));
    }
  }

  void Shut() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  const Handlers& handlers_;
  const ProbeLimits& limits_;
  beast::flat_buffer buffer_;
  beast::http::request_parser<beast::http::empty_body> parser_;
  HttpReply reply_;
  std::optional<beast::http::response_serializer<beast::http::string_body>> serializer_;
};

struct Address {
  std::string host;  // "" = every address
  unsigned short port = 0;
};

Expected<Address> ParseAddress(const std::string& text) {
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalid,
                "listening address \"" + text + "\": expected :port, host:port or [ipv6]:port");
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad();
  Address out{text.substr(0, colon), 0};
  if (out.host.starts_with('[') && out.host.ends_with(']')) {
    out.host = out.host.substr(1, out.host.size() - 2);
  } else if (out.host.find(':') != std::string::npos) {
    return bad();
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, out.port);
  if (error != std::errc() || stop != end) return bad();
  return out;
}

}  // namespace

class ProbeServer::Impl {
 public:
  Impl(Handlers handlers, ProbeLimits limits)
      : handlers_(std::move(handlers)), limits_(limits), acceptor_(context_), pause_(context_) {}

  ~Impl() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status Listen(const std::string& text) {
    const auto address = ParseAddress(text);
    if (!address) return tl::unexpected(address.error());
    error_code error;
    if (address->host.empty()) {
      Open(tcp::endpoint(tcp::v6(), address->port), error);
      // A kernel without IPv6.
      if (error == asio::error::address_family_not_supported) {
        Open(tcp::endpoint(tcp::v4(), address->port), error);
      }
    } else {
      const auto host = asio::ip::make_address(address->host, error);
      if (error) {
        return Fail(ErrorCode::kInvalid,
                    "listening address \"" + text + "\": the host is not an IP address");
      }
      Open(tcp::endpoint(host, address->port), error);
    }
    if (error)
      return Fail(ErrorCode::kUnavailable, "listening on " + text + ": " + error.message());
    return {};
  }

  int Port() const { return port_; }

  void Run() {
    Accept();
    thread_ = std::thread([this] {
      pthread_setname_np(pthread_self(), "probes");
      context_.run();
    });
  }

 private:
  void Open(const tcp::endpoint& endpoint, error_code& error) {
    error_code ignored;
    acceptor_.close(ignored);
    acceptor_.open(endpoint.protocol(), error);
    if (error) return;
    acceptor_.set_option(asio::socket_base::reuse_address(true), ignored);
    if (endpoint.address().is_v6()) {
      acceptor_.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), ignored);
    }
    acceptor_.bind(endpoint, error);
    if (error) return;
    port_ = acceptor_.local_endpoint(ignored).port();
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
  }

  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error) {
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](error_code) { Accept(); });
        return;
      }
      Admit(std::move(socket));
      Accept();
    });
  }

  void Admit(tcp::socket socket) {
    connections_.remove_if([](const auto& weak) { return weak.expired(); });
    if (connections_.size() >= limits_.connections) {
      if (const auto oldest = connections_.front().lock()) oldest->Close();
      connections_.pop_front();
    }
    const auto connection = std::make_shared<Connection>(std::move(socket), handlers_, limits_);
    connections_.push_back(connection);
    connection->Start();
  }

  const Handlers handlers_;
  const ProbeLimits limits_;
  int port_ = 0;  // before the thread starts
  // Touched by the server's thread only, once it runs. The context goes last: destroying it drops
  // the pending operations and with them the connections.
  std::list<std::weak_ptr<Connection>> connections_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::thread thread_;
};

ProbeServer::ProbeServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ProbeServer::~ProbeServer() = default;

Expected<std::unique_ptr<ProbeServer>> ProbeServer::Start(
    const std::string& address, std::map<std::string, ProbeHandler> handlers, ProbeLimits limits) {
  auto impl = std::make_unique<Impl>(std::move(handlers), limits);
  if (const auto ok = impl->Listen(address); !ok) return tl::unexpected(ok.error());
  impl->Run();
  return std::unique_ptr<ProbeServer>(new ProbeServer(std::move(impl)));
}

int ProbeServer::Port() const { return impl_->Port(); }

}  // namespace torchsoak::http
