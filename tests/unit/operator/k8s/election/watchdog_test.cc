#include "operator/k8s/election/watchdog.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;

class WatchdogTest : public ::testing::Test {
 protected:
  void Start() {
    watchdog_ = std::make_unique<Watchdog>(
        term_, 10s, clock_, [this] { fired_.set_value(); }, 250ms);
    clock_.AwaitSleepers(1);
  }

  /// Lets the watchdog look once, `by` later.
  void LookAfter(std::chrono::nanoseconds by) {
    clock_.Advance(by);
    clock_.AwaitSleepers(1);
  }

  bool Fired() { return future_.wait_for(0s) == std::future_status::ready; }

  fakes::FakeClock clock_;
  Term term_;
  std::promise<void> fired_;
  std::future<void> future_ = fired_.get_future();
  std::unique_ptr<Watchdog> watchdog_;
};

TEST_F(WatchdogTest, SleepsWhileWeDoNotLead) {
  Start();
  LookAfter(1h);
  EXPECT_FALSE(Fired());
}

TEST_F(WatchdogTest, SleepsWhileRenewalsSucceed) {
  term_.Renewed(clock_.Boot());
  term_.SetLeading(true);
  Start();
  for (int i = 0; i < 10; ++i) {
    LookAfter(9s);
    term_.Renewed(clock_.Boot());
  }
  EXPECT_FALSE(Fired());
}

TEST_F(WatchdogTest, EndsTheProcessWhenTheLastSuccessIsTooOld) {
  term_.Renewed(clock_.Boot());
  term_.SetLeading(true);
  Start();
  LookAfter(10s - 1ns);
  EXPECT_FALSE(Fired());
  clock_.Advance(250ms);
  future_.wait();
}

TEST_F(WatchdogTest, FiresAfterAFreezeAsSoonAsItWakes) {
  term_.Renewed(clock_.Boot());
  term_.SetLeading(true);
  Start();
  clock_.Advance(20s);  // the whole process stood still; the boot clock did not
  future_.wait();
}

TEST_F(WatchdogTest, IsQuietAfterLeadingEndedInOrder) {
  term_.Renewed(clock_.Boot());
  term_.SetLeading(true);
  Start();
  term_.SetLeading(false);
  LookAfter(1h);
  EXPECT_FALSE(Fired());
}

TEST(Term, FreshOnlyWhileLeadingAndYoung) {
  Term term;
  term.Renewed(100s);
  EXPECT_FALSE(term.Fresh(101s, 10s));
  term.SetLeading(true);
  EXPECT_TRUE(term.Fresh(110s - 1ns, 10s));
  EXPECT_FALSE(term.Fresh(110s, 10s));
}

}  // namespace
}  // namespace torchsoak::k8s
