// Whole requests and replies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>
#include <vector>

#include "tests/unit/operator/http/transport_fixture.h"

namespace torchsoak::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Transport, SendsTheExactTargetUnderTheBasePath) {
  std::promise<std::string> seen;
  LoopbackServer server([&](Peer& peer) {
    seen.set_value(peer.ReadRequest());
    peer.Reply("200 OK", "{}");
  });
  Endpoint endpoint = Plain(server.port());
  endpoint.base_path = "/k8s/c-1";
  CpprestTransport transport(Fixed(endpoint));
  const std::string target = "/apis/a/v1/x?labelSelector=a%3Db%2Cc%21%3D%C3%A4&limit=500&continue=";
  const auto response = transport.Send(Get(target), kLong, {});
  ASSERT_TRUE(response) << response.error().message;
  const std::string request = seen.get_future().get();
  EXPECT_EQ(request.substr(0, request.find("\r\n")), "GET /k8s/c-1" + target + " HTTP/1.1");
  EXPECT_THAT(request, HasSubstr("Host:127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
}

TEST(Transport, ReturnsStatusHeadersAndBody) {
  LoopbackServer server(Always("418 Teapot", "short", "X-Some: Thing\r\n"));
  CpprestTransport transport(Fixed(Plain(server.port())));
  const auto response = transport.Send(Get(), kLong, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->headers.at("x-some"), "Thing");
  EXPECT_EQ(response->body, "short");
}

TEST(Transport, ReadsBodiesWithoutContentTypeAndEmptyOnes) {
  // By path, not by turn: whether a connection is used again is up to the library.
  LoopbackServer server([](Peer& peer) {
    for (std::string asked = peer.ReadRequest(); !asked.empty(); asked = peer.ReadRequest()) {
      if (asked.starts_with("GET /empty")) peer.Reply("200 OK", "");
      if (asked.starts_with("GET /none")) peer.Write("HTTP/1.1 204 No Content\r\n\r\n");
      if (asked.starts_with("GET /long")) peer.Reply("200 OK", std::string(300'000, 'x'));
    }
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  EXPECT_EQ(transport.Send(Get("/empty"), kLong, {}).value().body, "");
  EXPECT_EQ(transport.Send(Get("/none"), kLong, {}).value().status, 204);
  EXPECT_EQ(transport.Send(Get("/long"), kLong, {}).value().body, std::string(300'000, 'x'));
}

TEST(Transport, SendsBodyMethodAndHeaders) {
  std::promise<std::string> seen;
  LoopbackServer server([&](Peer& peer) {
    seen.set_value(peer.ReadRequest());
    peer.Reply("201 Created", "{}");
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  Request request = Post(std::string(200'000, 'b'));
  request.method = "PATCH";
  request.content_type = "application/apply-patch+yaml";
  request.headers = {{"authorization", "Bearer t"}, {"impersonate-group", "a\nb"}};
  ASSERT_TRUE(transport.Send(request, kLong, {}));
  const std::string text = seen.get_future().get();
  EXPECT_THAT(text, ::testing::StartsWith("PATCH / HTTP/1.1\r\n"));
  EXPECT_THAT(text, HasSubstr("Content-Type:application/apply-patch+yaml\r\n"));
  EXPECT_THAT(text, HasSubstr("authorization:Bearer t\r\n"));
  EXPECT_THAT(text, HasSubstr("impersonate-group:a\r\nimpersonate-group:b\r\n"));
  EXPECT_THAT(text, ::testing::EndsWith("\r\n\r\n" + std::string(200'000, 'b')));
}

TEST(Transport, RefusesHeadersThatWouldSmuggle) {
  LoopbackServer server(Always("200 OK", ""));
  CpprestTransport transport(Fixed(Plain(server.port())));
  for (const Headers& headers :
       {Headers{{"authorization", "a\r\nx: y"}}, Headers{{"authorization", std::string("a\0b", 3)}},
        Headers{{"x: y\r\nz", "a"}}, Headers{{"", "a"}}}) {
    Request request = Get();
    request.headers = headers;
    EXPECT_EQ(CodeOf(transport.Send(request, kLong, {})), ErrorCode::kInvalid);
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST(Transport, KeepsConnections) {
  LoopbackServer server(Always("200 OK", "{}"));
  CpprestTransport transport([&]() -> Expected<std::shared_ptr<const Endpoint>> {
    return std::make_shared<const Endpoint>(Plain(server.port()));
  });
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(transport.Send(Get(), kLong, {}));
  // Not exactly 1: the library may still be putting one back when the next request starts.
  EXPECT_LT(server.connections(), 25);
}

TEST(Transport, DoesNotFollowRedirects) {
  LoopbackServer other(Always("200 OK", "{}"));
  const std::string location =
      "Location: http://127.0.0.1:" + std::to_string(other.port()) + "/\r\n";
  for (const char* status : {"301 Moved", "302 Found", "303 Other", "307 Temp", "308 Perm"}) {
    LoopbackServer server(Always(status, "", location));
    CpprestTransport transport(Fixed(Plain(server.port())));
    Request request = Get();
    request.headers["authorization"] = "Bearer secret";
    const auto response = transport.Send(request, kLong, {});
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->status, std::stoi(status));
  }
  EXPECT_EQ(other.connections(), 0);
}

TEST(Transport, RefusedConnectionIsUnavailableForReadsAndWrites) {
  int port = 0;
  {
    LoopbackServer gone(Always("200 OK", ""));
    port = gone.port();
  }
  CpprestTransport transport(Fixed(Plain(port)));
  const auto get = transport.Send(Get("/api?secret=1"), kLong, {});
  EXPECT_EQ(CodeOf(get), ErrorCode::kUnavailable);
  EXPECT_THAT(get.error().message, HasSubstr("GET http://127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(get.error().message, Not(HasSubstr("secret")));
  EXPECT_EQ(CodeOf(transport.Send(Post("{}"), kLong, {})), ErrorCode::kUnavailable);
}

TEST(Transport, LostReplyIsUnavailableForReadsAndUnknownForWrites) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Close();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, {})), ErrorCode::kUnavailable);
  EXPECT_EQ(CodeOf(transport.Send(Post("{}"), kLong, {})), ErrorCode::kUnknown);
  Request remove = Get();
  remove.method = "DELETE";
  EXPECT_EQ(CodeOf(transport.Send(remove, kLong, {})), ErrorCode::kUnknown);
}

TEST(Transport, ReplyCutInTheMiddleIsNotAReply) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
    peer.Close();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, {})), ErrorCode::kUnavailable);
  EXPECT_EQ(CodeOf(transport.Send(Post("{}"), kLong, {})), ErrorCode::kUnknown);
}

TEST(Transport, DeadlineEndsATricklingReply) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    // As fast as it goes: each byte restarts the library's own timer.
    while (peer.Chunk("x")) std::this_thread::yield();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  EXPECT_EQ(CodeOf(transport.Send(Get(), milliseconds(200), {})), ErrorCode::kTimeout);
  EXPECT_EQ(CodeOf(transport.Send(Post("{}"), milliseconds(200), {})), ErrorCode::kTimeout);
}

TEST(Transport, SilenceIsATimeout) {
  LoopbackServer server([](Peer& peer) { peer.AwaitClose(); });
  CpprestOptions options;
  options.unary_silence = milliseconds(200);
  CpprestTransport transport(Fixed(Plain(server.port())), options);
  EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, {})), ErrorCode::kTimeout);
}

TEST(Transport, TooLargeRepliesAreGivenUp) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (peer.Chunk(std::string(64 << 10, 'x'))) {
    }
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  const auto response = transport.Send(Get(), kLong, {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kTooLarge);
  EXPECT_THAT(response.error().message, HasSubstr(std::to_string(64 << 20)));
}

TEST(Transport, StopEndsEveryPhase) {
  const auto stopped_when = [](std::string_view reply) {
    std::stop_source stop;
    LoopbackServer server([&](Peer& peer) {
      peer.ReadRequest();
      peer.Write(reply);
      stop.request_stop();
      peer.AwaitClose();
    });
    CpprestTransport transport(Fixed(Plain(server.port())));
    return CodeOf(transport.Send(Get(), kLong, stop.get_token()));
  };
  EXPECT_EQ(stopped_when(""), ErrorCode::kCancelled);
  EXPECT_EQ(stopped_when("HTTP/1.1 200"), ErrorCode::kCancelled);
  EXPECT_EQ(stopped_when("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n"), ErrorCode::kCancelled);
  EXPECT_EQ(stopped_when("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), ErrorCode::kCancelled);
}

TEST(Transport, StopBeforeTheStartSendsNothingThatIsWaitedFor) {
  LoopbackServer server([](Peer& peer) { peer.AwaitClose(); });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, stop.get_token())), ErrorCode::kCancelled);
}

TEST(Transport, StopEndsAHandshake) {
  std::stop_source stop;
  // The first bytes of the client's hello arrive, and nothing ever comes back.
  LoopbackServer server([&](Peer& peer) {
    char byte = 0;
    EXPECT_EQ(recv(peer.socket(), &byte, 1, 0), 1);
    stop.request_stop();
    peer.AwaitClose();
  });
  Endpoint endpoint = Plain(server.port());
  endpoint.scheme = "https";
  CpprestTransport transport(Fixed(endpoint));
  EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, stop.get_token())), ErrorCode::kCancelled);
}

TEST(Transport, GarbageIsNotAReply) {
  for (const char* text : {"garbage\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\r\n\r\n\r\n"}) {
    LoopbackServer server([&](Peer& peer) {
      peer.ReadRequest();
      peer.Write(text);
      peer.Close();
    });
    CpprestTransport transport(Fixed(Plain(server.port())));
    EXPECT_EQ(CodeOf(transport.Send(Get(), kLong, {})), ErrorCode::kUnavailable) << text;
  }
}

TEST(Transport, ManyThreadsShareIt) {
  LoopbackServer server(Always("200 OK", "{}"));
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) good += transport.Send(Get(), kLong, {}).has_value() ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 160);
}

TEST(Transport, ThreadsCanBeSetOnlyOnce) {
  const auto again = InitThreads(8);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace torchsoak::http
