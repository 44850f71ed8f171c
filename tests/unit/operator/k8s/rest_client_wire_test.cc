// The client over real sockets: what a fake transport would hide.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "operator/k8s/auth/token_file.h"
#include "operator/k8s/rest_client.h"
#include "tests/unit/operator/http/transport_fixture.h"

namespace torchsoak::k8s {
namespace {

using http::LoopbackServer;
using http::Peer;
using ::testing::HasSubstr;

const ResourceType kJobs{"batch", "v1", "jobs", "Job"};

class WireTest : public ::testing::Test {
 protected:
  std::unique_ptr<Clock> clock = MakeSystemClock();
  NoCredentials nobody;
};

TEST_F(WireTest, ACreateWhoseReplyIsLostIsUnknownAndSentOnce) {
  std::atomic<int> posts{0};
  LoopbackServer server([&](Peer& peer) {
    if (!peer.ReadRequest().empty()) ++posts;
    peer.Close();
  });
  http::CpprestTransport transport(http::Fixed(http::Plain(server.port())));
  RestClient client(transport, nobody, *clock);
  const auto created = client.Create(kJobs, "n", {{"metadata", {{"name", "j"}}}}, {});
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kUnknown);
  EXPECT_EQ(posts, 1);
}

TEST_F(WireTest, AReadSurvivesALostConnection) {
  std::atomic<int> requests{0};
  LoopbackServer server([&](Peer& peer) {
    while (!peer.ReadRequest().empty()) {
      if (requests++ == 0) return peer.Close();
      peer.Reply("200 OK", R"({"kind":"Job"})");
    }
  });
  http::CpprestTransport transport(http::Fixed(http::Plain(server.port())));
  RestClient client(transport, nobody, *clock);
  const auto job = client.Get(kJobs, {"n", "j"}, {});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(requests, 2);
}

TEST_F(WireTest, ARotatedTokenIsReadAgainAfter401) {
  const auto path =
      std::filesystem::temp_directory_path() / ("torchsoak-token-" + std::to_string(getpid()));
  const auto write = [&](const char* token) { std::ofstream(path) << token << "\n"; };
  write("old");
  std::mutex mutex;
  std::string accepted = "old";  // guarded by mutex
  int refused = 0;               // guarded by mutex
  LoopbackServer server([&](Peer& peer) {
    while (true) {
      const std::string request = peer.ReadRequest();
      if (request.empty()) return;
      const std::lock_guard lock(mutex);
      const bool good =
          request.find("authorization:Bearer " + accepted + "\r\n") != std::string::npos;
      refused += good ? 0 : 1;
      peer.Reply(good ? "200 OK" : "401 Unauthorized", "{}");
    }
  });
  http::CpprestTransport transport(http::Fixed(http::Plain(server.port())));
  TokenFile credentials(path, SystemEnvironment(), *clock);
  RestClient client(transport, credentials, *clock);
  EXPECT_TRUE(client.Get(kJobs, {"n", "j"}, {}));
  {
    const std::lock_guard lock(mutex);
    accepted = "new";
  }
  write("new");
  EXPECT_TRUE(client.Get(kJobs, {"n", "j"}, {}));
  EXPECT_TRUE(client.Get(kJobs, {"n", "j"}, {}));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(refused, 1);
  std::filesystem::remove(path);
}

TEST_F(WireTest, AWatchIsPushedAndItsEndIsClean) {
  LoopbackServer server([](Peer& peer) {
    peer.ReadRequest();
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    peer.Chunk("{\"type\":\"BOOKMARK\"}\n");
    peer.Chunk("");
  });
  http::CpprestTransport transport(http::Fixed(http::Plain(server.port())));
  RestClient client(transport, nobody, *clock);
  std::string text;
  const auto status = client.Watch(kJobs, "n", {}, ResourceVersion("1"), 60,
                                   [&](std::string_view piece) {
                                     text.append(piece);
                                     return true;
                                   },
                                   {});
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(text, "{\"type\":\"BOOKMARK\"}\n");
}

TEST_F(WireTest, WarningHeadersOnSeveralLinesAreAllSeen) {
  LoopbackServer server(
      http::Always("200 OK", "{}", "Warning: 299 - \"one\"\r\nWarning: 299 - \"two, too\"\r\n"));
  http::CpprestTransport transport(http::Fixed(http::Plain(server.port())));
  std::vector<std::string> warnings;
  RestOptions options;
  options.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  RestClient client(transport, nobody, *clock, options);
  EXPECT_TRUE(client.Get(kJobs, {"n", "j"}, {}));
  EXPECT_THAT(warnings, ::testing::ElementsAre("one", "two, too"));
}

}  // namespace
}  // namespace torchsoak::k8s
