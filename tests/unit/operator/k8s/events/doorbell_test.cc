#include "operator/k8s/events/doorbell.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;

TEST(Doorbell, RingBeforeTheWaitIsNotLost) {
  fakes::FakeClock clock;
  Doorbell bell;
  bell.Ring();
  bell.Ring();
  bell.Wait(clock, 1h, {});  // returns at once
  clock.SetAutoAdvance(true);
  const BootTime before = clock.Boot();
  bell.Wait(clock, 1h, {});
  EXPECT_EQ(clock.Boot() - before, 1h) << "both rings counted as one";
}

TEST(Doorbell, RingTimeAndStopEachEndTheWait) {
  fakes::FakeClock clock;
  Doorbell bell;
  std::jthread waiter([&](std::stop_token stop) {
    bell.Wait(clock, 1h, stop);
    bell.Wait(clock, 1h, stop);
    bell.Wait(clock, 1h, stop);
  });
  clock.AwaitSleepers(1);
  bell.Ring();
  clock.AwaitSleepers(1);
  clock.Advance(1h);
  clock.AwaitSleepers(1);
  waiter.request_stop();
  waiter.join();
}

}  // namespace
}  // namespace torchsoak::k8s
