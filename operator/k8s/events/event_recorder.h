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
#include <optional>
#include <stop_token>
#include <vector>

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

  /// Sends until `stop`, then flushes what is queued for at most kFlush; a call still under way
  /// then is cancelled. Blocks; call it once, on a thread of its own. A helper thread
  /// ("events-flush") only watches the time of the flush.
  Status Run(std::stop_token stop);

  /// Events that never reached the server.
  std::uint64_t Dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  /// `stop`: no more waiting; `hurry`: no more calls.
  struct Tokens {
    std::stop_token stop;
    std::stop_token hurry;
  };

  void HurryAfterFlush(std::stop_token stop, std::stop_token ended, std::stop_source hurry);
  void SendQueued(const Tokens& tokens);
  void SendAll(const std::vector<EventCall>& calls, const Tokens& tokens);
  bool Send(const EventCall& call, const Tokens& tokens);
  Status Try(const EventCall& call, std::stop_token hurry);
  void Drop() { dropped_.fetch_add(1, std::memory_order_relaxed); }

  struct Queued {
    Event event;
    WallTime at;
  };
  std::optional<Queued> Pop();

  Client& client_;
  Clock& clock_;
  Doorbell doorbell_;
  std::atomic<std::uint64_t> dropped_{0};

  std::mutex mutex_;
  std::deque<Queued> queue_;  // guarded by mutex_

  EventSeries series_;  // Run's thread only
};

}  // namespace torchsoak::k8s
