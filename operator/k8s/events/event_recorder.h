#pragma once
// Kubernetes events, written beside the work and never in its way.
//
// Record puts into a bounded queue and returns; one thread (Run) makes the calls. A full queue, a
// refusal or 12 failed tries drop the event, counted: events are a courtesy, the status is the
// truth.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/k8s/client.h"
#include "operator/k8s/events/doorbell.h"
#include "operator/k8s/events/event_series.h"

namespace torchsoak::k8s {

class EventRecorder {
 public:
  static constexpr std::size_t kMaxQueue = 1000;
  static constexpr int kMaxTries = 12;
  static constexpr std::chrono::seconds kRetryDelay{10};  ///< at most; 1, 2, 4, 8 s before
  static constexpr std::chrono::seconds kTick{60};
  static constexpr std::chrono::seconds kFlush{2};  ///< what Run still sends after `stop`

  EventRecorder(EventSource source, Client& client, Clock& clock);

  /// Any thread; never blocks on the network. An event without reason or action is dropped.
  void Record(Event event);

  /// Sends until `stop`, then flushes what is queued for at most kFlush (a call under way may take
  /// longer). Blocks; call it once, on a thread of its own.
  Status Run(std::stop_token stop);

  /// Events that never reached the server.
  std::uint64_t Dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void SendQueued(std::stop_token stop);
  void SendAll(std::vector<EventCall> calls, std::stop_token stop);
  void Send(const EventCall& call, std::stop_token stop);
  Status Try(const EventCall& call);
  bool PopQueued(Event& event, WallTime& at);
  bool FlushTimeLeft(std::stop_token stop) const;

  struct Queued {
    Event event;
    WallTime at;
  };

  Client& client_;
  Clock& clock_;
  Doorbell doorbell_;
  std::atomic<std::uint64_t> dropped_{0};

  std::mutex mutex_;
  std::deque<Queued> queue_;  // guarded by mutex_

  // Run's thread only.
  EventSeries series_;
  BootTime flush_until_{0};
};

}  // namespace torchsoak::k8s
