#include "operator/k8s/election/elector.h"

#include <algorithm>
#include <utility>

namespace torchsoak::k8s {
namespace {

/// client-go's JitterFactor: standbys that start together do not stay together.
constexpr double kRetryJitter = 1.2;

std::string Seconds(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(duration).count()) + " s";
}

}  // namespace

Elector::Elector(ElectorOptions options, LeaseClient& leases, Clock& clock,
                 std::function<double()> random, ElectorHooks hooks)
    : options_(std::move(options)),
      leases_(leases),
      clock_(clock),
      random_(std::move(random)),
      hooks_(std::move(hooks)),
      last_attempt_(clock.Boot().count()) {}

Status Elector::Run(std::stop_token stop) {
  Status ended = Validate(options_);
  if (ended) {
    const std::stop_callback retire(stop, [this] { Retire(); });
    if (Campaign()) ended = Renew(stop);
  }
  EndRun();
  return ended;
}

/// True once we lead. Ends without when retired: also in the middle of a request.
bool Elector::Campaign() {
  const std::stop_token retired = retired_.get_token();
  while (!retired.stop_requested()) {
    const bool held = Try(retired) == Attempt::kHeld && WithinDeadline();
    if (retired.stop_requested()) return false;
    if (held) {
      SetLeading(true);
      return true;
    }
    const auto jitter = static_cast<std::chrono::milliseconds::rep>(
        kRetryJitter * random_() * static_cast<double>(options_.retry_period.count()));
    clock_.Sleep(options_.retry_period + std::chrono::milliseconds(jitter), retired);
  }
  return false;
}

Status Elector::Renew(std::stop_token stop) {
  while (true) {
    const std::chrono::nanoseconds left =
        options_.renew_deadline - (clock_.Boot() - term_.LastSuccess());
    const auto pause = std::min<std::chrono::nanoseconds>(options_.retry_period, left);
    if (!clock_.Sleep(pause, stop)) return {};
    // A process that was frozen looks at the clock before it asks for more time.
    const bool lost = WithinDeadline() && Try(stop) == Attempt::kNotHeld;
    if (stop.stop_requested()) return {};
    if (lost) {
      return Fail(ErrorCode::kConflict,
                  "lease " + leases_.key().ToString() + " was taken by " + Leader());
    }
    if (!WithinDeadline()) {
      return Fail(ErrorCode::kConflict, "lease " + leases_.key().ToString() +
                                            " could not be renewed for " +
                                            Seconds(clock_.Boot() - term_.LastSuccess()));
    }
  }
}

Elector::Attempt Elector::Try(std::stop_token stop) {
  last_attempt_.store(clock_.Boot().count(), std::memory_order_relaxed);
  if (term_.leading()) {
    if (RenewByCachedVersion(stop)) return Attempt::kHeld;
    if (hooks_.on_slow_path) hooks_.on_slow_path();
  }
  if (const Status looked = Look(stop); !looked) {
    Tell(looked.error());
    return Attempt::kFailed;
  }
  if (term_.leading() && seen_ && seen_->holder != options_.identity) {
    return Attempt::kNotHeld;  // whoever it was may have written: we cannot just go on
  }
  const LeaseMove move = JudgeLease(seen_, options_.identity, last_change_, clock_.Boot());
  return move == LeaseMove::kWait ? Attempt::kNotHeld : Write(move, stop);
}

bool Elector::RenewByCachedVersion(std::stop_token stop) {
  return seen_ && Write(LeaseMove::kRenew, std::move(stop)) == Attempt::kHeld;
}

Elector::Attempt Elector::Write(LeaseMove move, std::stop_token stop) {
  const LeaseWrite write = WriteFor(move);
  may_hold_ = true;
  const BootTime begun = clock_.Boot();
  Expected<LeaseRecord> written = move == LeaseMove::kCreate ? leases_.Create(write, stop)
                                                             : leases_.Update(*seen_, write, stop);
  if (!written) {
    Tell(written.error());
    return Attempt::kFailed;
  }
  Observe(std::move(*written));
  term_.Renewed(begun);
  return Attempt::kHeld;
}

LeaseWrite Elector::WriteFor(LeaseMove move) const {
  LeaseWrite write;
  write.holder = options_.identity;
  write.duration = std::chrono::ceil<std::chrono::seconds>(options_.lease_duration);
  write.renewed = clock_.Wall();
  if (move != LeaseMove::kRenew) write.acquired = write.renewed;
  if (seen_) write.transitions = seen_->transitions + (move == LeaseMove::kAcquire ? 1 : 0);
  return write;
}

Status Elector::Look(std::stop_token stop) {
  Expected<LeaseRecord> record = leases_.Get(std::move(stop));
  if (record) {
    Observe(std::move(*record));
    return {};
  }
  if (record.error().code != ErrorCode::kNotFound) return tl::unexpected(record.error());
  seen_.reset();
  return {};
}

void Elector::Observe(LeaseRecord record) {
  if (!seen_ || record.SpecDiffers(*seen_)) last_change_ = clock_.Boot();
  seen_ = std::move(record);
  {
    const std::lock_guard lock(mutex_);
    if (leader_ == seen_->holder) return;
    leader_ = seen_->holder;
  }
  if (hooks_.on_new_leader) hooks_.on_new_leader(seen_->holder);
}

void Elector::Tell(const Error& error) const {
  // Losing a round is no failure, and being stopped is none either.
  const bool ordinary = error.code == ErrorCode::kConflict || error.code == ErrorCode::kExists ||
                        error.code == ErrorCode::kCancelled;
  if (!ordinary && hooks_.on_failure) hooks_.on_failure(error);
}

bool Elector::WithinDeadline() const {
  return clock_.Boot() - term_.LastSuccess() < options_.renew_deadline;
}

bool Elector::IsLeader() const { return term_.Fresh(clock_.Boot(), options_.renew_deadline); }

void Elector::SetLeading(bool leading) {
  {
    const std::lock_guard lock(mutex_);
    term_.SetLeading(leading);
  }
  changed_.notify_all();
  if (leading && hooks_.on_leading) hooks_.on_leading();
}

void Elector::EndRun() {
  SetLeading(false);
  const std::lock_guard lock(mutex_);
  run_ended_ = true;
  changed_.notify_all();
}

Status Elector::WaitForLeadership(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop,
                [this] { return term_.leading() || run_ended_ || retired_.stop_requested(); });
  if (term_.leading() && !stop.stop_requested()) return {};
  return Fail(ErrorCode::kCancelled, "stopped before leading");
}

void Elector::Retire() {
  retired_.request_stop();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

Status Elector::Release(std::stop_token stop) {
  if (!may_hold_) return {};
  Status released;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (const Status looked = Look(stop); !looked) return looked;
    if (!seen_ || seen_->holder != options_.identity) return {};
    LeaseWrite write = WriteFor(LeaseMove::kRenew);
    write.holder.clear();
    write.duration = std::chrono::seconds(1);
    write.acquired = write.renewed;
    const Expected<LeaseRecord> written = leases_.Update(*seen_, write, stop);
    if (written) return {};
    released = tl::unexpected(written.error());
    if (written.error().code != ErrorCode::kConflict) return released;
  }
  return released;
}

std::string Elector::Leader() const {
  const std::lock_guard lock(mutex_);
  return leader_;
}

BootTime Elector::LastAttempt() const {
  return BootTime(last_attempt_.load(std::memory_order_relaxed));
}

}  // namespace torchsoak::k8s
