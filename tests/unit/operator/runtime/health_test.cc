#include "operator/runtime/health.h"

#include <gtest/gtest.h>

namespace torchsoak::runtime {
namespace {

TEST(Health, OkWithoutDetailsUnlessAsked) {
  Health health;
  health.AddLive("watches", [] { return Status(); });
  EXPECT_TRUE(health.Live(false).ok);
  EXPECT_EQ(health.Live(false).text, "ok");
  EXPECT_EQ(health.Live(true).text, "[+]watches ok\nhealthz check passed\n");
  EXPECT_EQ(health.Ready(false).text, "ok") << "nothing to check is ready";
}

TEST(Health, NamesWhatFailedAndWhy) {
  Health health;
  bool synced = false;
  health.AddReady("ping", [] { return Status(); });
  health.AddReady("caches", [&]() -> Status {
    if (synced) return {};
    return Fail(ErrorCode::kUnavailable, "jobs not listed yet");
  });
  const auto reply = health.Ready(false);
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.text, "[+]ping ok\n[-]caches failed: jobs not listed yet\nreadyz check failed\n");
  EXPECT_TRUE(health.Live(false).ok) << "not ready is not dead";
  synced = true;
  EXPECT_TRUE(health.Ready(false).ok);
}

}  // namespace
}  // namespace torchsoak::runtime
