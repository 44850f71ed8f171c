#include "operator/app/signals.h"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace torchsoak::app {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void BlockSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void OnSignal(std::function<void()> stop) {
  std::thread([stop = std::move(stop)] {
    pthread_setname_np(pthread_self(), "signals");
    const sigset_t set = StopSignals();
    int signal = 0;
    sigwait(&set, &signal);
    stop();
    sigwait(&set, &signal);
    std::_Exit(130);
  }).detach();  // lives until _Exit
}

}  // namespace torchsoak::app
