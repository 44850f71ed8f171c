#include "operator/k8s/auth/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/auth/fake_environment.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

std::string Answer(const std::string& status) {
  return std::string(R"({"apiVersion":")") + kV1 + R"(","kind":"ExecCredential","status":)" +
         status + "}";
}

class ExecPluginTest : public ::testing::Test {
 protected:
  ExecPluginTest() {
    world->variables = {{"HOME", "/h"}, {"KUBERNETES_EXEC_INFO", "stale"}, {"REGION", "old"}};
    spec.api_version = kV1;
    spec.command = "/bin/plugin";
    spec.args = {"token", "--cluster", "a b"};
    spec.env = {{"REGION", "eu"}};
  }

  ExecPlugin Plugin() {
    return ExecPlugin(spec, EnvironmentOf(world), clock,
                      [this](const ProcessSpec& process, std::stop_token) {
                        ++runs;
                        last = process;
                        return result;
                      });
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  fakes::FakeClock clock;
  ExecSpec spec;
  Expected<ProcessResult> result = ProcessResult{0, Answer(R"({"token":"t"})"), ""};
  ProcessSpec last;
  int runs = 0;
};

TEST_F(ExecPluginTest, RunsItWithItsEnvironmentAndKeepsTheToken) {
  ExecPlugin plugin = Plugin();
  const auto headers = plugin.Get({});
  ASSERT_TRUE(headers) << headers.error().message;
  EXPECT_EQ(headers->at("authorization"), "Bearer t");
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(last.argv, ElementsAre("/bin/plugin", "token", "--cluster", "a b"));
  EXPECT_THAT(last.environment, Contains("HOME=/h"));
  EXPECT_THAT(last.environment, Contains("REGION=eu"));
  EXPECT_THAT(last.environment, Not(Contains("REGION=old")));
  EXPECT_THAT(last.environment, Not(Contains("KUBERNETES_EXEC_INFO=stale")));
}

TEST_F(ExecPluginTest, TellsThePluginWhatItIsAskedFor) {
  spec.cluster = {{"server", "https://a"}};
  (void)Plugin().Get({});
  std::string info;
  for (const auto& entry : last.environment) {
    if (entry.starts_with("KUBERNETES_EXEC_INFO=")) info = entry.substr(entry.find('=') + 1);
  }
  const Json json = Json::parse(info);
  EXPECT_EQ(json["apiVersion"], kV1);
  EXPECT_EQ(json["kind"], "ExecCredential");
  EXPECT_EQ(json["spec"]["interactive"], false);
  EXPECT_EQ(json["spec"]["cluster"]["server"], "https://a");
}

TEST_F(ExecPluginTest, RunsAgainBeforeTheTokenEnds) {
  // The clock starts at 2026-01-02 03:04:05.
  result->output = Answer(R"({"token":"t","expirationTimestamp":"2026-01-02T03:05:05Z"})");
  ExecPlugin plugin = Plugin();
  EXPECT_TRUE(plugin.Get({}));
  clock.Advance(seconds(49));
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_EQ(runs, 1);
  clock.Advance(seconds(1));
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_EQ(runs, 2);
}

TEST_F(ExecPluginTest, RunsAgainAfterARejection) {
  ExecPlugin plugin = Plugin();
  const BootTime before = clock.Boot();
  clock.Advance(seconds(1));
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_TRUE(plugin.Reject(before)) << "newer than the refused request: kept";
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(plugin.Reject(clock.Boot()));
  EXPECT_TRUE(plugin.Get({}));
  EXPECT_EQ(runs, 2);
}

TEST_F(ExecPluginTest, GivesACertificatePair) {
  result->output = Answer(R"({"clientCertificateData":"C","clientKeyData":"K"})");
  ExecPlugin plugin = Plugin();
  EXPECT_TRUE(plugin.Get({}).value().empty());
  const auto credential = plugin.Current({});
  ASSERT_TRUE(credential);
  EXPECT_EQ(credential->certificate_pem, "C");
  EXPECT_EQ(credential->key_pem, "K");
}

TEST_F(ExecPluginTest, FailuresAreToldWithoutSecrets) {
  const auto message = [this] {
    const auto headers = Plugin().Get({});
    return headers ? std::string("no error") : headers.error().message;
  };
  result = ProcessResult{1, "secret", "log in first\n\x1b[1m"};
  EXPECT_THAT(message(), StartsWith("credential plugin /bin/plugin: exit code 1: log in first"));
  EXPECT_THAT(message(), Not(HasSubstr("\x1b")));
  for (const std::string& output :
       {std::string("secret"), std::string("{}"), Answer("{}"), Answer("null"),
        Answer(R"({"token":7})"), Answer(R"({"clientCertificateData":"secret"})"),
        Answer(R"({"token":"secret","expirationTimestamp":"soon"})"),
        Answer(R"({"token":"secret value"})"), std::string(1000, '[')}) {
    result = ProcessResult{0, output, ""};
    EXPECT_NE(message(), "no error") << output;
    EXPECT_THAT(message(), Not(HasSubstr("secret"))) << output;
  }
  spec.install_hint = "install it with\nthe installer";
  result = Fail(ErrorCode::kNotFound, "no such file");
  EXPECT_THAT(message(), HasSubstr("install it with the installer"));
}

TEST_F(ExecPluginTest, AnotherVersionsAnswerIsRefused) {
  result->output = R"({"apiVersion":"client.authentication.k8s.io/v1beta1",
                       "kind":"ExecCredential","status":{"token":"t"}})";
  EXPECT_FALSE(Plugin().Get({}));
}

TEST_F(ExecPluginTest, WhoComesWhileItRunsWaitsForThatRun) {
  std::atomic<int> started{0};
  std::latch running(1);
  std::latch finish(1);
  ExecPlugin plugin(spec, EnvironmentOf(world), clock, [&](const ProcessSpec&, std::stop_token) {
    ++started;
    running.count_down();
    finish.wait();
    return result;
  });
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  threads.emplace_back([&] { good += plugin.Get({}).has_value() ? 1 : 0; });
  running.wait();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(plugin.Get(stop.get_token()).error().code, ErrorCode::kCancelled);
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] { good += plugin.Get({}).has_value() ? 1 : 0; });
  }
  finish.count_down();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(started, 1);
}

}  // namespace
}  // namespace torchsoak::k8s
