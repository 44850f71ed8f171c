#include "tests/unit/operator/http/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace torchsoak::http {
namespace {

void Require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(what);
}

ssl_ctx_st* MakeContext(const ServerTls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  UsePair(context, tls.certificate);
  if (!tls.client_ca_pem.empty()) {
    TrustPem(context, tls.client_ca_pem);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (tls.only_tls11) {
    SSL_CTX_set_cipher_list(context, "DEFAULT:@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context, TLS1_1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  }
  return context;
}

std::size_t BodyLength(const std::string& head) {
  for (const char* name : {"Content-Length:", "content-length:"}) {
    const auto at = head.find(name);
    if (at != std::string::npos) {
      return std::strtoul(head.c_str() + at + std::char_traits<char>::length(name), nullptr, 10);
    }
  }
  return 0;
}

}  // namespace

Peer::~Peer() {
  if (tls_ != nullptr) SSL_free(tls_);
}

long Peer::Read(char* buffer, std::size_t size) {
  if (tls_ != nullptr) return SSL_read(tls_, buffer, static_cast<int>(size));
  return recv(socket_, buffer, size, 0);
}

std::string Peer::ReadRequest() {
  std::array<char, 16384> buffer{};
  std::size_t needed = std::string::npos;
  while (true) {
    const auto head_end = pending_.find("\r\n\r\n");
    if (head_end != std::string::npos) {
      needed = head_end + 4 + BodyLength(pending_.substr(0, head_end + 2));
      if (pending_.size() >= needed) break;
    }
    const long got = Read(buffer.data(), buffer.size());
    if (got <= 0) return "";
    pending_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  std::string request = pending_.substr(0, needed);
  pending_.erase(0, needed);
  return request;
}

bool Peer::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent = tls_ != nullptr
                          ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                          : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Peer::Reply(std::string_view status, std::string_view body, std::string_view headers) {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\nContent-Length: ").append(std::to_string(body.size()));
  text.append("\r\n").append(headers).append("\r\n").append(body);
  return Write(text);
}

bool Peer::Chunk(std::string_view data) {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
  return Write(std::string(size.data()).append(data).append("\r\n"));
}

void Peer::AwaitClose() {
  std::array<char, 1024> buffer{};
  while (Read(buffer.data(), buffer.size()) > 0) {
  }
}

void Peer::Close() { shutdown(socket_, SHUT_RDWR); }

LoopbackServer::LoopbackServer(Handler handler, const ServerTls* tls, bool ipv6)
    : handler_(std::move(handler)) {
  if (tls != nullptr) context_ = MakeContext(*tls);
  listener_ = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Require(listener_ >= 0, "socket");
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* address = ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  socklen_t size = ipv6 ? sizeof(v6) : sizeof(v4);
  Require(bind(listener_, address, size) == 0, "bind");
  Require(listen(listener_, 64) == 0, "listen");
  Require(getsockname(listener_, address, &size) == 0, "getsockname");
  port_ = ntohs(ipv6 ? v6.sin6_port : v4.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) shutdown(socket, SHUT_RDWR);
  }
  for (auto& thread : threads_) thread.join();
  close(listener_);
  if (context_ != nullptr) SSL_CTX_free(context_);
}

void LoopbackServer::Accept() {
  while (!stopping_) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    {
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
    }
    ++connections_;
    threads_.emplace_back([this, socket] { Serve(socket); });
  }
}

void LoopbackServer::Serve(int socket) {
  ssl_st* tls = nullptr;
  bool ready = true;
  if (context_ != nullptr) {
    tls = SSL_new(context_);
    SSL_set_fd(tls, socket);
    ready = SSL_accept(tls) == 1;
  }
  {
    Peer peer(socket, tls);
    if (ready) handler_(peer);
  }
  const std::lock_guard lock(mutex_);
  open_.remove(socket);
  close(socket);
}

LoopbackServer::Handler Always(std::string status, std::string body, std::string headers) {
  return [=](Peer& peer) {
    while (!peer.ReadRequest().empty() && peer.Reply(status, body, headers)) {
    }
  };
}

}  // namespace torchsoak::http
