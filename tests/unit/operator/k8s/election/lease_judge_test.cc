#include <gtest/gtest.h>

#include "operator/k8s/election/elector.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;

std::optional<LeaseRecord> Held(const std::string& holder) {
  LeaseRecord record;
  record.holder = holder;
  record.duration = 15s;
  return record;
}

struct JudgeCase {
  const char* name;
  std::optional<LeaseRecord> seen;
  BootTime unchanged_for;
  LeaseMove move;
};

TEST(JudgeLease, DecidesOnWhatWasObservedHere) {
  const JudgeCase cases[] = {
      {"no lease", std::nullopt, 0s, LeaseMove::kCreate},
      {"released", Held(""), 0s, LeaseMove::kAcquire},
      {"ours", Held("me"), 0s, LeaseMove::kRenew},
      {"ours, long ago", Held("me"), 1h, LeaseMove::kRenew},
      {"another's, alive", Held("other"), 0s, LeaseMove::kWait},
      {"another's, almost stale", Held("other"), 15s - 1ns, LeaseMove::kWait},
      {"another's, stale", Held("other"), 15s, LeaseMove::kAcquire},
  };
  for (const JudgeCase& test : cases) {
    EXPECT_EQ(JudgeLease(test.seen, "me", 1000s, 1000s + test.unchanged_for), test.move)
        << test.name;
  }
}

TEST(ElectorOptions, DefaultsAndScaledOnesAreValid) {
  ElectorOptions options;
  options.identity = "a";
  EXPECT_TRUE(Validate(options));
  for (const auto lease : {1000ms, 3000ms, 15'000ms, 60'000ms}) {
    EXPECT_TRUE(Validate(ElectorOptions::Scaled("a", lease))) << lease.count();
  }
  const ElectorOptions scaled = ElectorOptions::Scaled("a", 15s);
  EXPECT_EQ(scaled.renew_deadline, 10s);
  EXPECT_EQ(scaled.retry_period, 2s);
  EXPECT_EQ(scaled.request_timeout, 4s);
}

TEST(ElectorOptions, RefusesProportionsThatCannotHold) {
  const ElectorOptions good = ElectorOptions::Scaled("a", 15s);
  ElectorOptions bad = good;
  bad.identity.clear();
  EXPECT_FALSE(Validate(bad));
  bad = good;
  bad.renew_deadline = 11s;  // + 4 s of request = 15 s
  EXPECT_FALSE(Validate(bad));
  bad = good;
  bad.renew_deadline = 2400ms;  // 1.2 · 2 s
  EXPECT_FALSE(Validate(bad));
  bad = good;
  bad.lease_duration = 999ms;
  EXPECT_FALSE(Validate(bad));
  bad = good;
  bad.retry_period = 0ms;
  EXPECT_FALSE(Validate(bad));
}

}  // namespace
}  // namespace torchsoak::k8s
