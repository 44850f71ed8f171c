#pragma once
// Ends the process when it leads but could not renew in time.
//
// A thread of its own without network and without a lock that the network thread takes: whatever
// hangs there, a leader that lost its Lease dies before another one starts to write. The time is
// CLOCK_BOOTTIME, which goes on while the machine sleeps.

#include <chrono>
#include <functional>
#include <thread>

#include "common/base/clock.h"
#include "operator/k8s/election/term.h"

namespace torchsoak::k8s {

class Watchdog {
 public:
  /// Says why on standard error and calls _Exit(1): no destructor may delay it.
  static void EndProcess();

  /// Starts the thread ("watchdog"). It looks at `term` every `interval`; `fatal` is called there,
  /// at most once. The destructor joins.
  Watchdog(const Term& term, std::chrono::milliseconds renew_deadline, Clock& clock,
           std::function<void()> fatal = EndProcess,
           std::chrono::milliseconds interval = std::chrono::milliseconds(250));

 private:
  void Run(std::stop_token stop);

  const Term& term_;
  const std::chrono::milliseconds renew_deadline_;
  Clock& clock_;
  const std::function<void()> fatal_;
  const std::chrono::milliseconds interval_;
  std::jthread thread_;  // last: starts when everything else is there
};

}  // namespace torchsoak::k8s
