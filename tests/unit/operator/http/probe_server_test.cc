#include "operator/http/probe_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <vector>

namespace torchsoak::http {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A client's socket to the server.
class Client {
 public:
  explicit Client(int port, bool ipv6 = false) {
    socket_ = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    v4.sin_port = v6.sin6_port;
    const auto* address =
        ipv6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
    connected_ = connect(socket_, address, ipv6 ? sizeof(v6) : sizeof(v4)) == 0;
  }
  Client(Client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  ~Client() {
    if (socket_ >= 0) close(socket_);
  }

  bool connected() const { return connected_; }
  void Send(std::string_view text) { send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }

  /// Everything until the server closes.
  std::string ReadAll() {
    std::string all;
    std::array<char, 65536> buffer{};
    while (true) {
      const auto got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

std::map<std::string, ProbeHandler> Handlers() {
  return {{"/healthz",
           [](std::string_view) {
             return ProbeReply{200, "text/plain", "ok"};
           }},
          {"/readyz",
           [](std::string_view query) {
             return ProbeReply{503, "text/plain", "query=" + std::string(query)};
           }},
          {"/throws", [](std::string_view) -> ProbeReply { throw std::runtime_error("x"); }},
          {"/metrics", [](std::string_view) {
             return ProbeReply{200, "text/plain; version=0.0.4", std::string(3U << 20U, 'm')};
           }}};
}

std::unique_ptr<ProbeServer> Start(ProbeLimits limits = {}, const char* address = ":0") {
  auto server = ProbeServer::Start(address, Handlers(), limits);
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return std::move(*server);
}

std::string Fetch(int port, std::string_view request, bool ipv6 = false) {
  Client client(port, ipv6);
  client.Send(request);
  return client.ReadAll();
}

TEST(ProbeServer, AnswersAndCloses) {
  const auto server = Start();
  const std::string reply = Fetch(server->Port(), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(reply, HasSubstr("Content-Type: text/plain\r\n"));
  EXPECT_THAT(reply, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\nok"));
}

TEST(ProbeServer, GivesTheHandlerTheQuery) {
  const auto server = Start();
  const std::string reply = Fetch(server->Port(), "GET /readyz?verbose HTTP/1.1\r\n\r\n");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(reply, EndsWith("query=verbose"));
  EXPECT_THAT(Fetch(server->Port(), "GET /readyz HTTP/1.0\r\n\r\n"), EndsWith("query="));
}

TEST(ProbeServer, OtherPathsMethodsAndFailuresHaveTheirStatus) {
  const auto server = Start();
  const int port = server->Port();
  EXPECT_THAT(Fetch(port, "GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Fetch(port, "GET /healthz/ HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Fetch(port, "POST /healthz HTTP/1.1\r\nContent-Length: 0\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Fetch(port, "GET /throws HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
}

TEST(ProbeServer, HeadHasTheLengthButNoBody) {
  const auto server = Start();
  const std::string reply = Fetch(server->Port(), "HEAD /healthz HTTP/1.1\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("Content-Length: 2\r\n"));
  EXPECT_THAT(reply, EndsWith("\r\n\r\n"));
}

TEST(ProbeServer, SendsLargeBodiesWhole) {
  const auto server = Start();
  const std::string reply = Fetch(server->Port(), "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_GT(reply.size(), 3U << 20U);
}

TEST(ProbeServer, ListensOnIpv4AndIpv6) {
  const auto server = Start();
  const char* request = "GET /healthz HTTP/1.1\r\n\r\n";
  EXPECT_THAT(Fetch(server->Port(), request), EndsWith("ok"));
  EXPECT_THAT(Fetch(server->Port(), request, true), EndsWith("ok"));
}

TEST(ProbeServer, ListensOnOneAddress) {
  const auto v4 = Start({}, "127.0.0.1:0");
  EXPECT_TRUE(Client(v4->Port()).connected());
  const auto v6 = Start({}, "[::1]:0");
  EXPECT_TRUE(Client(v6->Port(), true).connected());
  EXPECT_FALSE(Client(v6->Port()).connected());
}

TEST(ProbeServer, GarbageAndLargeHeadsAreDropped) {
  const auto server = Start();
  EXPECT_EQ(Fetch(server->Port(), "\x16\x03\x01 hello\r\n\r\n"), "");
  EXPECT_EQ(Fetch(server->Port(), "GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'a')), "");
  EXPECT_THAT(Fetch(server->Port(), "GET /healthz HTTP/1.1\r\n\r\n"), EndsWith("ok"));
}

TEST(ProbeServer, ClientsThatSendNothingAreDropped) {
  ProbeLimits limits;
  limits.read = milliseconds(100);
  const auto server = Start(limits);
  Client silent(server->Port());
  silent.Send("GET /healthz HTT");
  EXPECT_EQ(silent.ReadAll(), "");
}

TEST(ProbeServer, AnswersWhileMoreSilentClientsThanItAllowsAreConnected) {
  ProbeLimits limits;
  limits.connections = 4;
  limits.read = std::chrono::seconds(60);
  const auto server = Start(limits);
  std::vector<Client> silent;
  for (int i = 0; i < 20; ++i) {
    silent.emplace_back(server->Port());
    silent.back().Send("GET /healthz HTTP/1.1\r\n");
  }
  EXPECT_THAT(Fetch(server->Port(), "GET /healthz HTTP/1.1\r\n\r\n"), EndsWith("ok"));
  EXPECT_EQ(silent.front().ReadAll(), "") << "the oldest was dropped";
}

TEST(ProbeServer, EndsWithClientsConnected) {
  auto server = Start();
  Client silent(server->Port());
  silent.Send("GET /metrics HTTP/1.1\r\n\r\n");
  server.reset();
  SUCCEED();
}

TEST(ProbeServer, RefusesBadAddressesAndTakenPorts) {
  for (const char* address :
       {"", "8081", "localhost:8081", "::1:8081", ":x", ":70000", ":-1", "[::1]", "1.2.3.4.5:80"}) {
    const auto server = ProbeServer::Start(address, {});
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().code, ErrorCode::kInvalid) << address;
  }
  const auto first = Start({}, "127.0.0.1:0");
  const auto second = ProbeServer::Start("127.0.0.1:" + std::to_string(first->Port()), Handlers());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace torchsoak::http
