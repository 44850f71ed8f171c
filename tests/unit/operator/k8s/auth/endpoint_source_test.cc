#include "operator/k8s/auth/endpoint_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/auth/fake_environment.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::seconds;

class EndpointSourceTest : public ::testing::Test {
 protected:
  EndpointSource::Parts Files() {
    EndpointSource::Parts parts;
    parts.fixed.host = "h";
    parts.ca = std::make_unique<CachedText>("/ca", EnvironmentOf(world), clock);
    return parts;
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  fakes::FakeClock clock;
};

TEST_F(EndpointSourceTest, SamePointerUntilAFileChanges) {
  world->files["/ca"] = "CA1";
  EndpointSource source(Files());
  const auto first = source.Get().value();
  EXPECT_EQ(first->host, "h");
  EXPECT_EQ(first->ca_pem, "CA1");
  clock.Advance(seconds(61));
  EXPECT_EQ(source.Get().value(), first) << "read again, but equal";
  EXPECT_EQ(world->reads["/ca"], 2);
  world->files["/ca"] = "CA2";
  EXPECT_EQ(source.Get().value(), first) << "not looked at yet";
  clock.Advance(seconds(61));
  EXPECT_EQ(source.Get().value()->ca_pem, "CA2");
}

TEST_F(EndpointSourceTest, ALostOrEmptyFileLeavesTheLastGoodText) {
  world->files["/ca"] = "CA1";
  EndpointSource source(Files());
  const auto first = source.Get().value();
  world->files["/ca"] = "";
  clock.Advance(seconds(61));
  EXPECT_EQ(source.Get().value(), first);
  world->files.clear();
  clock.Advance(seconds(61));
  EXPECT_EQ(source.Get().value(), first);
}

TEST_F(EndpointSourceTest, NothingGoodEverIsAnError) {
  EndpointSource source(Files());
  EXPECT_EQ(source.Get().error().code, ErrorCode::kNotFound);
  world->files["/ca"] = "";
  EXPECT_EQ(source.Get().error().code, ErrorCode::kInvalid);
}

TEST_F(EndpointSourceTest, AsksThePluginForAClientPair) {
  ExecSpec spec;
  spec.api_version = "client.authentication.k8s.io/v1";
  spec.command = "x";
  EndpointSource::Parts parts;
  parts.plugin = std::make_shared<ExecPlugin>(
      spec, EnvironmentOf(world), clock, [](const ProcessSpec&, std::stop_token) {
        return ProcessResult{0,
                             R"({"apiVersion":"client.authentication.k8s.io/v1",
                                 "kind":"ExecCredential",
                                 "status":{"clientCertificateData":"C","clientKeyData":"K"}})",
                             ""};
      });
  EndpointSource source(std::move(parts));
  EXPECT_EQ(source.Get().value()->client_cert_pem, "C");
  EXPECT_EQ(source.Get().value()->client_key_pem, "K");
}

}  // namespace
}  // namespace torchsoak::k8s
