#pragma once
// Leader election on a Lease: who may write, and until when.
//
// Decides only on change observed here: a Lease is stale when it has not changed for its duration
// by our own boot clock. The record's times are never compared with our clock, so clocks that
// disagree do no harm. client-go says of itself that it does not fence; here every write of a
// worker asks IsLeader() first, and the Watchdog ends a process that could not renew.
//
// Threads: Run blocks the one thread it is called on. Everything else may be called from any
// thread and never blocks, except WaitForLeadership and Release.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/k8s/election/lease_client.h"
#include "operator/k8s/election/term.h"

namespace torchsoak::k8s {

struct ElectorOptions {
  std::string identity;  ///< unique per process: host name + "_" + random UUID
  std::chrono::milliseconds lease_duration{15'000};  ///< others wait this long after our last sign
  std::chrono::milliseconds renew_deadline{10'000};  ///< without success for this long we are out
  std::chrono::milliseconds retry_period{2'000};
  std::chrono::milliseconds request_timeout{4'000};  ///< what the LeaseClient's client keeps

  /// The default proportions (15 : 10 : 2 : 4) for another lease duration (--lease-duration).
  static ElectorOptions Scaled(std::string identity, std::chrono::milliseconds lease_duration);
};

/// kInvalid unless lease > renew > 1.2 · retry, lease > renew + request timeout, lease ≥ 1 s and
/// an identity is given.
Status Validate(const ElectorOptions& options);

/// What a candidate does about the record it has seen. Pure.
enum class LeaseMove { kCreate, kAcquire, kRenew, kWait };
LeaseMove JudgeLease(const std::optional<LeaseRecord>& seen, const std::string& identity,
                     BootTime last_change, BootTime now);

/// Called on Run's thread; must not block. Empty ones are skipped.
struct ElectorHooks {
  std::function<void()> on_leading;
  std::function<void(const std::string& identity)> on_new_leader;  ///< also for ourselves
  std::function<void()> on_slow_path;            ///< a renewal by cached version failed
  std::function<void(const Error&)> on_failure;  ///< an attempt that failed; it goes on
};

class Elector {
 public:
  /// `random` returns a number in [0, 1) and is called on Run's thread only. All references must
  /// outlive the elector.
  Elector(ElectorOptions options, LeaseClient& leases, Clock& clock, std::function<double()> random,
          ElectorHooks hooks = {});

  /// Campaigns, then renews, until `stop` (value), Retire while not leading (value), or until
  /// leadership was lost (kConflict: the process must end). kInvalid: see Validate. Does not
  /// release: see Release. Leading is over when Run returns. Call once.
  Status Run(std::stop_token stop);

  /// The fence: leading, and the last successful renewal was begun less than renew_deadline ago.
  /// Ask before every write.
  bool IsLeader() const;

  /// Blocks until we lead (value), `stop` (kCancelled), or Retire/Run's end (kCancelled).
  Status WaitForLeadership(std::stop_token stop);

  /// Shutdown has begun: goes on renewing when leading, but acquires no more, so that a manager
  /// that was never elected does not become leader while stopping.
  void Retire();

  /// Gives the Lease up (no holder, duration 1 s) if we hold it, trying once more after a
  /// conflict. Call after Run has returned and only when every worker has ended; otherwise let the
  /// Lease expire.
  Status Release(std::stop_token stop);

  /// Identity of the holder last seen; "" when none.
  std::string Leader() const;

  /// Boot time of the last attempt, successful or not: for /healthz.
  BootTime LastAttempt() const;

  /// Shared with the Watchdog: atomics only, no locks.
  const Term& term() const { return term_; }

 private:
  enum class Attempt { kHeld, kNotHeld, kFailed };

  bool Campaign();
  Status Renew(std::stop_token stop);
  Attempt Try(std::stop_token stop);
  bool RenewByCachedVersion(std::stop_token stop);
  Attempt Write(LeaseMove move, std::stop_token stop);
  Status Look(std::stop_token stop);
  LeaseWrite WriteFor(LeaseMove move) const;
  void Observe(LeaseRecord record);
  void SetLeading(bool leading);
  void EndRun();
  void Tell(const Error& error) const;
  bool WithinDeadline() const;

  const ElectorOptions options_;
  LeaseClient& leases_;
  Clock& clock_;
  const std::function<double()> random_;
  const ElectorHooks hooks_;

  Term term_;
  std::atomic<std::chrono::nanoseconds::rep> last_attempt_;
  std::stop_source retired_;

  // Run's thread only (and Release, after Run).
  std::optional<LeaseRecord> seen_;
  BootTime last_change_{0};
  bool may_hold_ = false;  ///< a write with our identity was sent: it may have happened

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string leader_;      // guarded by mutex_
  bool run_ended_ = false;  // guarded by mutex_
};

}  // namespace torchsoak::k8s
