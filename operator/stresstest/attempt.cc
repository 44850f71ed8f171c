#include "operator/stresstest/attempt.h"

#include <algorithm>

#include "operator/stresstest/names.h"
#include "operator/stresstest/stop_policy.h"

namespace torchsoak::stresstest {
namespace {

constexpr std::chrono::minutes kLostAfterDeletion{5};
constexpr std::chrono::minutes kLostAfterOurStop{1};
constexpr std::size_t kMostRuns = 32;

const JobView* FindJob(const Observed& o, const std::string& name) {
  const auto it = std::find_if(o.jobs.begin(), o.jobs.end(),
                               [&](const JobView& job) { return job.name == name; });
  return it == o.jobs.end() ? nullptr : &*it;
}

/// The pod that has run under this attempt, whoever owns it now; else one of the Job.
const PodView* FindPod(const Observed& o, const std::string& job_uid, const RunStatus* run) {
  const PodView* found = nullptr;
  for (const PodView& pod : o.pods) {
    const bool known = run != nullptr && !run->pod_uid.empty() && pod.uid == run->pod_uid;
    if (known && (!pod.gone || pod.runner.started)) return &pod;
    if (job_uid.empty() || pod.job_uid != job_uid) continue;
    if (found == nullptr || (found->gone && !pod.gone)) found = &pod;
  }
  return found;
}

}  // namespace

Attempt::Attempt(const Observed& observed, TestStatus& status)
    : observed_(observed),
      status_(status),
      job_(FindJob(observed, JobName(observed.test.key.name, 0, status.attempt))),
      pod_(nullptr) {
  const std::string recorded = Recorded() ? run().job_uid : "";
  pod_ = FindPod(observed_, job_ != nullptr ? job_->uid : recorded, status_.CurrentRun());
  // A queue that takes a Job back before anything ran costs a pod but no attempt.
  const bool never_ran = pod_ != nullptr && pod_->gone && !pod_->runner.started;
  if (never_ran && job_ != nullptr && !job_->failed && !job_->deleting) pod_ = nullptr;
}

bool Attempt::Recorded() const { return status_.CurrentRun() != nullptr; }

bool Attempt::Started() const {
  return status_.Holds("Running") || (pod_ != nullptr && pod_->runner.started.has_value());
}

void Attempt::Record() {
  if (!Recorded()) {
    status_.runs.insert(status_.runs.begin(), RunStatus{});
    run().name = JobName(observed_.test.key.name, 0, status_.attempt);
    run().attempt = status_.attempt;
    if (status_.runs.size() > kMostRuns) status_.runs.pop_back();
  }
  if (job_ != nullptr) run().job_uid = job_->uid;
  if (pod_ == nullptr) return;
  // A pod that never ran may be followed by another within one attempt: its pulls are its own.
  if (run().pod_uid != pod_->uid) run().pull_failing_since.reset();
  run().pod = pod_->name;
  run().pod_uid = pod_->uid;
  run().node = pod_->node;
  if (!run().pull_failing_since && IsImageProblem(pod_->runner.reason)) {
    run().pull_failing_since = observed_.now;
  }
}

WallTime Attempt::LostAt() const {
  if (pod_ == nullptr || !pod_->deleting) return WallTime::max();
  return *pod_->deleting + (Stopping().empty() ? kLostAfterDeletion : kLostAfterOurStop);
}

bool Attempt::OutOfReach() const {
  if (Stopping().empty() || job_ != nullptr || pod_ == nullptr) return false;
  return !pod_->gone && !pod_->deleting && pod_->job_uid != run().job_uid;
}

bool Attempt::NeedsLiveLook() const {
  if (observed_.live || !Recorded()) return false;
  if (pod_ == nullptr) return job_ == nullptr || status_.Holds("Running");
  return job_ == nullptr && !pod_->Over();
}

bool Attempt::Lost() const { return LostAt() <= observed_.now; }

}  // namespace torchsoak::stresstest
