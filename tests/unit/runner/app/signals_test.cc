#include "runner/app/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

namespace torchsoak::runner {
namespace {

bool Eventually(const std::function<bool()>& done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(Signals, CountsTermAndInterrupt) {
  const Signals signals(false);
  EXPECT_EQ(signals.stops(), 0);
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(Eventually([&] { return signals.stops() == 1; }));
  ::kill(::getpid(), SIGINT);
  EXPECT_TRUE(Eventually([&] { return signals.stops() == 2; }));
}

TEST(Signals, ReapsEveryChild) {
  const Signals signals(true);
  for (int i = 0; i < 50; ++i) {
    if (::fork() == 0) ::_exit(0);
  }
  // No child left to wait for, and none was waited for here: no zombies.
  EXPECT_TRUE(Eventually([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }));
}

TEST(Signals, LeavesChildrenToTheirParentUnlessToldTo) {
  const Signals signals(false);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace torchsoak::runner
