#pragma once
// A real server on a loopback port whose every byte the test decides.

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tests/unit/operator/http/certificates.h"

struct ssl_st;      // OpenSSL's SSL
struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace torchsoak::http {

/// One accepted connection, on its own thread.
class Peer {
 public:
  Peer(int socket, ssl_st* tls) : socket_(socket), tls_(tls) {}
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Head and body of the next request; "" when the client has gone.
  std::string ReadRequest();

  /// False when the client has gone.
  bool Write(std::string_view bytes);

  /// "HTTP/1.1 <status>" with a length and that body.
  bool Reply(std::string_view status, std::string_view body, std::string_view headers = "");

  /// One chunk of a chunked body; "" is the last.
  bool Chunk(std::string_view data);

  /// Blocks until the client closes its side.
  void AwaitClose();

  /// Ends the connection from our side.
  void Close();

  int socket() const { return socket_; }

 private:
  long Read(char* buffer, std::size_t size);

  const int socket_;
  ssl_st* const tls_;
  std::string pending_;
};

struct ServerTls {
  Pair certificate;
  std::string client_ca_pem;  ///< set: a client certificate of it is required
  bool only_tls11 = false;
};

class LoopbackServer {
 public:
  using Handler = std::function<void(Peer&)>;

  explicit LoopbackServer(Handler handler, const ServerTls* tls = nullptr, bool ipv6 = false);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void Accept();
  void Serve(int socket);

  const Handler handler_;
  ssl_ctx_st* context_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::list<int> open_;             // guarded by mutex_
  std::list<std::thread> threads_;  // of the accepting thread
  std::thread accepting_;
};

/// A handler that answers every request of a connection with the same reply.
LoopbackServer::Handler Always(std::string status, std::string body, std::string headers = "");

}  // namespace torchsoak::http
