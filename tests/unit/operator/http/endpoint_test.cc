// Which server the transport speaks to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/unit/operator/http/transport_fixture.h"

namespace torchsoak::http {
namespace {

using ::testing::HasSubstr;

TEST(TransportEndpoint, ReachesIpv6Literals) {
  std::promise<std::string> seen;
  LoopbackServer server(
      [&](Peer& peer) {
        seen.set_value(peer.ReadRequest());
        peer.Reply("200 OK", "{}");
      },
      nullptr, true);
  Endpoint endpoint = Plain(server.port());
  endpoint.host = "::1";
  CpprestTransport transport(Fixed(endpoint));
  const auto response = transport.Send(Get(), kLong, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_THAT(seen.get_future().get(),
              HasSubstr("Host:[::1]:" + std::to_string(server.port()) + "\r\n"));
}

TEST(TransportEndpoint, FollowsAChangedEndpoint) {
  LoopbackServer first(Always("200 OK", "first"));
  LoopbackServer second(Always("200 OK", "second"));
  std::shared_ptr<const Endpoint> current = std::make_shared<Endpoint>(Plain(first.port()));
  CpprestTransport transport(
      [&]() -> Expected<std::shared_ptr<const Endpoint>> { return current; });
  EXPECT_EQ(transport.Send(Get(), kLong, {}).value().body, "first");
  current = std::make_shared<Endpoint>(Plain(second.port()));
  EXPECT_EQ(transport.Send(Get(), kLong, {}).value().body, "second");
}

TEST(TransportEndpoint, MissingConnectionSettingsAreNotAboutTheObject) {
  CpprestTransport transport([]() -> Expected<std::shared_ptr<const Endpoint>> {
    return Fail(ErrorCode::kNotFound, "no CA file");
  });
  const auto response = transport.Send(Get(), kLong, {});
  EXPECT_EQ(CodeOf(response), ErrorCode::kUnavailable);
  EXPECT_THAT(response.error().message, HasSubstr("no CA file"));
}

}  // namespace
}  // namespace torchsoak::http
