#pragma once
// The keys that want a look: each at most once in the queue and never twice in work.
//
// client-go's util/workqueue: adding a queued key does nothing; adding a key in work marks it, and
// it is queued again when Done is called. Delayed keys wait in one heap, the earlier time wins.
// Failing keys back off one by one (5 ms · 2^n, at most 5 min) and all together by a token bucket.
//
// Any thread may call anything. The queue owns one thread ("queue-delay"), joined by the
// destructor.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "common/base/clock.h"
#include "operator/k8s/events/doorbell.h"
#include "operator/k8s/resource.h"

namespace torchsoak::runtime {

struct WorkQueueOptions {
  std::chrono::nanoseconds base_delay = std::chrono::milliseconds(5);
  std::chrono::nanoseconds max_delay = std::chrono::minutes(5);
  double rate_per_second = 10;  ///< of AddRateLimited, over all keys
  double burst = 100;
};

/// Told what happens, for metrics. Called under the queue's lock: must be quick and must not call
/// the queue.
class WorkQueueObserver {
 public:
  virtual ~WorkQueueObserver() = default;
  virtual void OnDepth(std::size_t depth) = 0;
  virtual void OnAdd() = 0;
  virtual void OnRetry() = 0;
  virtual void OnWaited(std::chrono::nanoseconds in_queue) = 0;
  virtual void OnWorked(std::chrono::nanoseconds in_work) = 0;
};

class WorkQueue {
 public:
  /// `observer` may be null; it and `clock` must outlive the queue.
  explicit WorkQueue(Clock& clock, WorkQueueOptions options = {},
                     WorkQueueObserver* observer = nullptr);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void Add(const k8s::ObjectKey& key);

  /// Adds once `delay` has passed; a delay ≤ 0 adds at once.
  void AddAfter(const k8s::ObjectKey& key, std::chrono::nanoseconds delay);

  /// AddAfter with the key's back-off, which this call makes longer.
  void AddRateLimited(const k8s::ObjectKey& key);

  /// Ends the key's back-off. Also call it for keys that will not come back.
  void Forget(const k8s::ObjectKey& key);

  /// Blocks until a key is there; nothing when shut down. Each key got needs one Done.
  std::optional<k8s::ObjectKey> Get();

  void Done(const k8s::ObjectKey& key);

  /// No key goes in or out any more; waiting Gets return. Keys in work still need Done.
  void ShutDown();

  std::size_t Depth() const;

  /// Keys waiting for their time.
  std::size_t Delayed() const;

  int Failures(const k8s::ObjectKey& key) const;

  /// Age of what is in work now, summed and the longest: for two gauges.
  struct InWork {
    std::chrono::nanoseconds sum{0};
    std::chrono::nanoseconds longest{0};
  };
  InWork Unfinished() const;

 private:
  using Due = std::pair<BootTime, k8s::ObjectKey>;

  void AddLocked(const k8s::ObjectKey& key);
  void PushLocked(const k8s::ObjectKey& key);
  bool DelayLocked(const k8s::ObjectKey& key, std::chrono::nanoseconds delay);
  std::chrono::nanoseconds BackoffLocked(const k8s::ObjectKey& key);
  std::chrono::nanoseconds TakeTokenLocked();
  std::chrono::nanoseconds MoveDue();
  void RunDelays(std::stop_token stop);

  Clock& clock_;
  const WorkQueueOptions options_;
  WorkQueueObserver* const observer_;
  k8s::Doorbell doorbell_;

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  // All guarded by mutex_.
  std::deque<k8s::ObjectKey> queue_;
  std::unordered_map<k8s::ObjectKey, BootTime> dirty_;       ///< wanted, with the time of adding
  std::unordered_map<k8s::ObjectKey, BootTime> processing_;  ///< in work, with the time of Get
  std::set<Due> delayed_;
  std::unordered_map<k8s::ObjectKey, BootTime> due_;  ///< the same, by key
  std::unordered_map<k8s::ObjectKey, int> failures_;
  double tokens_;
  BootTime refilled_;
  bool shut_down_ = false;

  std::jthread thread_;  // last: starts when everything else is there
};

}  // namespace torchsoak::runtime
