// Streamed bodies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <future>
#include <latch>
#include <vector>

#include "tests/unit/operator/http/transport_fixture.h"

namespace torchsoak::http {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const StreamLimits kPatient{kLong, kLong};

Sink Into(std::string& text) {
  return [&text](std::string_view piece) {
    text.append(piece);
    return true;
  };
}

TEST(Stream, DeliversEachEventAtOnce) {
  std::latch first_seen(1);
  LoopbackServer server([&](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.Chunk("first\n");
    // The library's own buffer would hold this back until 4 KiB have come: then we hang here.
    first_seen.wait();
    peer.Chunk("second\n");
    peer.Chunk("");
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::string text;
  const auto response = transport.Stream(Get(), kPatient,
                                         [&](std::string_view piece) {
                                           if (text.empty()) first_seen.count_down();
                                           text.append(piece);
                                           return true;
                                         },
                                         {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(text, "first\nsecond\n");
}

TEST(Stream, IsTheSameWhereverItIsCut) {
  const std::string body =
      std::string(kChunked) +
      "6\r\nfirst\n\r\nA;name=value\r\nsecond\r\n\r\n\r\n3\r\nend\r\n0\r\n\r\n";
  std::atomic<std::size_t> cut{0};
  LoopbackServer server([&](Peer& peer) {
    while (!peer.ReadRequest().empty()) {
      // Nagle's algorithm keeps the second write back until the first has been received alone.
      const std::size_t at = cut;
      peer.Write(std::string_view(body).substr(0, at));
      peer.Write(std::string_view(body).substr(at));
    }
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  for (cut = 1; cut < body.size(); ++cut) {
    std::string text;
    const auto response = transport.Stream(Get(), kPatient, Into(text), {});
    ASSERT_TRUE(response) << cut << ": " << response.error().message;
    ASSERT_EQ(text, "first\nsecond\r\n\r\nend") << cut;
  }
}

TEST(Stream, OtherStatusesAreARepliesBody) {
  LoopbackServer server(Always("410 Gone", "{\"reason\":\"Expired\"}", "Retry-After: 3\r\n"));
  CpprestTransport transport(Fixed(Plain(server.port())));
  const auto response = transport.Stream(
      Get(), kPatient, [](std::string_view) -> bool { throw std::logic_error("called"); }, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 410);
  EXPECT_EQ(response->body, "{\"reason\":\"Expired\"}");
  EXPECT_EQ(response->headers.at("retry-after"), "3");
}

TEST(Stream, HeaderDeadline) {
  LoopbackServer server([](Peer& peer) { peer.AwaitClose(); });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::string text;
  const auto response = transport.Stream(Get(), {milliseconds(100), kLong}, Into(text), {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kTimeout);
}

TEST(Stream, IdleLimitEndsAConnectionThatFellSilent) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.Chunk("one");
    peer.AwaitClose();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::string text;
  const auto response = transport.Stream(Get(), {kLong, milliseconds(200)}, Into(text), {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kTimeout);
  EXPECT_EQ(text, "one");
}

TEST(Stream, TheLibrarysTimerIsTheSecondLine) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.AwaitClose();
  });
  CpprestOptions options;
  options.stream_silence = milliseconds(200);
  CpprestTransport transport(Fixed(Plain(server.port())), options);
  std::string text;
  EXPECT_EQ(CodeOf(transport.Stream(Get(), kPatient, Into(text), {})), ErrorCode::kTimeout);
}

TEST(Stream, LostConnectionIsUnavailableAfterWhatHadCome) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.Chunk("one");
    peer.Write("10\r\nhalf of");
    peer.Close();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::string text;
  const auto response = transport.Stream(Get(), kPatient, Into(text), {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kUnavailable);
  EXPECT_EQ(text, "one");
}

TEST(Stream, StopAndSinkEndIt) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.Chunk("one");
    peer.AwaitClose();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  EXPECT_EQ(CodeOf(transport.Stream(Get(), kPatient, [](std::string_view) { return false; }, {})),
            ErrorCode::kCancelled);
  std::stop_source stop;
  const auto stopping = [&](std::string_view) {
    stop.request_stop();
    return true;
  };
  EXPECT_EQ(CodeOf(transport.Stream(Get(), kPatient, stopping, stop.get_token())),
            ErrorCode::kCancelled);
}

TEST(Stream, StopEndsTheWaitForHeaders) {
  std::stop_source stop;
  LoopbackServer server([&](Peer& peer) {
    peer.ReadRequest();
    stop.request_stop();
    peer.AwaitClose();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::string text;
  EXPECT_EQ(CodeOf(transport.Stream(Get(), kPatient, Into(text), stop.get_token())),
            ErrorCode::kCancelled);
}

TEST(Stream, HostileChunkSizesAreAnError) {
  for (const char* size : {"-1", "-2", "-5", "FFFFFFFFFFFFFFFF", "zz", "", "80000000"}) {
    LoopbackServer server([&](Peer& peer) {
      peer.ReadRequest();
      peer.Write(std::string(kChunked) + size + "\r\nabcdefghij\r\n");
      peer.Close();
    });
    CpprestTransport transport(Fixed(Plain(server.port())));
    std::string text;
    EXPECT_EQ(CodeOf(transport.Stream(Get(), kPatient, Into(text), {})), ErrorCode::kUnavailable)
        << size;
    EXPECT_LE(text.size(), 12U);
  }
}

/// Writes until the client takes no more for a while or `most` bytes are out. The socket must be
/// non-blocking meanwhile.
std::size_t Flood(Peer& peer, const std::string& bytes, std::size_t most) {
  std::size_t sent = 0;
  while (sent < most) {
    pollfd ready{peer.socket(), POLLOUT, 0};
    if (poll(&ready, 1, 500) <= 0) return sent;
    const std::size_t at = sent % bytes.size();
    const auto got =
        send(peer.socket(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (got > 0) sent += static_cast<std::size_t>(got);
  }
  return sent;
}

// A chunk of 4096 bytes with its frame.
std::string Frame() { return "1000\r\n" + std::string(4096, 'x') + "\r\n"; }

TEST(Stream, SlowReaderStopsTheServerInsteadOfFillingMemory) {
  constexpr std::size_t kMost = 256U << 20U;
  std::promise<std::size_t> stalled_after;
  std::latch reading(1);
  LoopbackServer server([&](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    peer.Chunk("go");
    reading.wait();
    stalled_after.set_value(Flood(peer, Frame(), kMost));
    peer.AwaitClose();
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::size_t before = 0;
  const auto response = transport.Stream(Get(), kPatient,
                                         [&](std::string_view) {
                                           reading.count_down();
                                           before = stalled_after.get_future().get();
                                           return false;
                                         },
                                         {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kCancelled);
  // 1 MiB of ours, the rest are the kernel's socket buffers.
  EXPECT_LT(before, 32U << 20U);
  EXPECT_GT(before, 0U);
}

TEST(Stream, SlowReaderLosesNothing) {
  constexpr int kChunks = 4096;
  LoopbackServer server([&](Peer& peer) {
    peer.ReadRequest();
    peer.Write(kChunked);
    for (int i = 0; i < kChunks; ++i) peer.Write(Frame());
    peer.Chunk("");
  });
  CpprestOptions options;
  options.high_water = 10'000;
  CpprestTransport transport(Fixed(Plain(server.port())), options);
  std::size_t total = 0;
  const auto response = transport.Stream(Get(), kPatient,
                                         [&](std::string_view piece) {
                                           EXPECT_LE(piece.size(), 10'000U + 4096U);
                                           total += piece.size();
                                           return true;
                                         },
                                         {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(total, kChunks * 4096U);
}

TEST(Stream, StalledStreamsDoNotHoldUpOtherCalls) {
  // More of them than the thread pool has threads (environment.cc).
  constexpr int kStreams = 4;
  std::latch all_stalled(kStreams);
  std::latch released(1);
  LoopbackServer server([&](Peer& peer) {
    if (peer.ReadRequest().starts_with("GET /other")) {
      peer.Reply("200 OK", "answered");
      return;
    }
    peer.Write(kChunked);
    for (int i = 0; i < 2048 && peer.Write(Frame()); ++i) {
    }
    peer.Chunk("");
  });
  CpprestTransport transport(Fixed(Plain(server.port())));
  std::vector<std::thread> readers;
  std::atomic<int> complete{0};
  for (int i = 0; i < kStreams; ++i) {
    readers.emplace_back([&] {
      bool first = true;
      const auto sink = [&](std::string_view) {
        if (std::exchange(first, false)) {
          all_stalled.count_down();
          released.wait();
        }
        return true;
      };
      complete += transport.Stream(Get(), kPatient, sink, {}).has_value() ? 1 : 0;
    });
  }
  all_stalled.wait();
  EXPECT_EQ(transport.Send(Get("/other"), kLong, {}).value().body, "answered");
  released.count_down();
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(complete, kStreams);
}

}  // namespace
}  // namespace torchsoak::http
