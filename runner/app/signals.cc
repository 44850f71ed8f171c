#include "runner/app/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

namespace torchsoak::runner {
namespace {

/// SIGUSR2 wakes the thread for its end; nothing else uses it.
sigset_t Waited() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGUSR2);
  return set;
}

void ReapAll() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace

Signals::Signals(bool reap) : reap_(reap) {
  const sigset_t set = Waited();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write, not our end
  thread_ = std::thread([this] { Loop(); });
  pthread_setname_np(thread_.native_handle(), "signals");
}

Signals::~Signals() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

void Signals::Loop() {
  const sigset_t set = Waited();
  while (!ending_) {
    int number = 0;
    if (sigwait(&set, &number) != 0) continue;
    if (number == SIGTERM || number == SIGINT) stops_.fetch_add(1);
    if (number == SIGCHLD && reap_) ReapAll();
  }
}

}  // namespace torchsoak::runner
