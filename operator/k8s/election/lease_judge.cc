// The pure part of the election: proportions, and what to do about a record.

#include "operator/k8s/election/elector.h"

namespace torchsoak::k8s {

ElectorOptions ElectorOptions::Scaled(std::string identity,
                                      std::chrono::milliseconds lease_duration) {
  ElectorOptions options;
  options.identity = std::move(identity);
  options.lease_duration = lease_duration;
  options.renew_deadline = lease_duration * 10 / 15;
  options.retry_period = lease_duration * 2 / 15;
  options.request_timeout = lease_duration * 4 / 15;
  return options;
}

Status Validate(const ElectorOptions& options) {
  const auto ms = [](std::chrono::milliseconds d) { return std::to_string(d.count()) + " ms"; };
  if (options.identity.empty()) return Fail(ErrorCode::kInvalid, "election without an identity");
  if (options.lease_duration < std::chrono::seconds(1)) {
    return Fail(ErrorCode::kInvalid,
                "lease duration of " + ms(options.lease_duration) + "; at least 1000 ms");
  }
  if (options.retry_period.count() <= 0 || options.request_timeout.count() <= 0) {
    return Fail(ErrorCode::kInvalid, "retry period and request timeout must be positive");
  }
  if (options.renew_deadline * 10 <= options.retry_period * 12) {
    return Fail(ErrorCode::kInvalid, "renew deadline of " + ms(options.renew_deadline) +
                                         " must exceed 1.2 times the retry period of " +
                                         ms(options.retry_period));
  }
  if (options.lease_duration <= options.renew_deadline + options.request_timeout) {
    return Fail(ErrorCode::kInvalid,
                "lease duration of " + ms(options.lease_duration) +
                    " must exceed the renew deadline plus the request timeout, " +
                    ms(options.renew_deadline + options.request_timeout) +
                    ": a request under way when the leader gives up must not outlive the lease");
  }
  return {};
}

LeaseMove JudgeLease(const std::optional<LeaseRecord>& seen, const std::string& identity,
                     BootTime last_change, BootTime now) {
  if (!seen) return LeaseMove::kCreate;
  if (seen->holder == identity) return LeaseMove::kRenew;
  if (seen->holder.empty()) return LeaseMove::kAcquire;
  return now - last_change >= seen->duration ? LeaseMove::kAcquire : LeaseMove::kWait;
}

}  // namespace torchsoak::k8s
