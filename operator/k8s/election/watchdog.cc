#include "operator/k8s/election/watchdog.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace torchsoak::k8s {

void Watchdog::EndProcess() {
  // No lock of a stream or a logger is worth waiting for here.
  constexpr std::string_view why =
      "{\"level\":\"error\",\"msg\":\"leader lease not renewed in time: ending the process\"}\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, why.data(), why.size());
  std::_Exit(1);
}

Watchdog::Watchdog(const Term& term, std::chrono::milliseconds renew_deadline, Clock& clock,
                   std::function<void()> fatal, std::chrono::milliseconds interval)
    : term_(term),
      renew_deadline_(renew_deadline),
      clock_(clock),
      fatal_(std::move(fatal)),
      interval_(interval),
      thread_([this](std::stop_token stop) { Run(std::move(stop)); }) {}

void Watchdog::Run(std::stop_token stop) {
  pthread_setname_np(pthread_self(), "watchdog");
  while (clock_.Sleep(interval_, stop)) {
    if (!term_.leading() || clock_.Boot() - term_.LastSuccess() < renew_deadline_) continue;
    if (!term_.leading()) continue;  // gave up in order while we looked
    fatal_();
    return;
  }
}

}  // namespace torchsoak::k8s
