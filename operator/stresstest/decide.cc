#include "operator/stresstest/decide.h"

#include <algorithm>

#include "operator/stresstest/attempt.h"
#include "operator/stresstest/begin.h"
#include "operator/stresstest/condition_writer.h"
#include "operator/stresstest/failure_policy.h"
#include "operator/stresstest/finish.h"
#include "operator/stresstest/image_policy.h"
#include "operator/stresstest/progress.h"
#include "operator/stresstest/result_status.h"
#include "operator/stresstest/stop_policy.h"

namespace torchsoak::stresstest {
namespace {

using contract::Outcome;
using contract::Reason;
using contract::Spec;
using contract::Verdict;

/// How soon to look again at what may change without an event.
constexpr std::chrono::seconds kUnwatched{15};

/// One decision about a test that has not finished. Lives as long as the call.
class Decision {
 public:
  Decision(const Observed& observed, const Settings& settings, const Spec& spec, Plan& plan)
      : o_(observed), settings_(settings), spec_(spec), plan_(plan), status_(plan.status) {}

  void Make() {
    Set("Accepted", "True", "SpecAccepted", "the spec can be run");
    if (status_.attempt == 0) status_.attempt = 1;
    // What only the API server sees, no watch will tell of.
    if (o_.live) plan_.LookAt(o_.now + kUnwatched, o_.now);
    if (Attempt(o_, status_).NeedsLiveLook()) {
      plan_.need = Need::kLiveLook;
      return;
    }
    if (ThrowingAway() || HeldBySuspend()) return;
    Attempt attempt(o_, status_);
    if (attempt.job() == nullptr && !attempt.Recorded()) {
      return Begin(o_, settings_, spec_, attempt, plan_);
    }
    attempt.Record();
    const PodView* pod = attempt.pod();
    const bool queued = Queued(attempt);
    if (queued && attempt.Started()) {
      return Stop(attempt, {"Preempted", "the queue took the run's place"});
    }
    const JobView* job = attempt.job();
    const bool vanished = pod == nullptr && (job == nullptr || job->failed || job->complete);
    const bool over = pod != nullptr && (pod->Over() || attempt.Lost() || attempt.OutOfReach());
    if (vanished || (over && !queued)) return End(attempt);
    if (!attempt.Stopping().empty()) return DeleteJobOf(attempt);
    const StopAdvice advice = AdviseStop(o_, spec_, job, pod);
    if (advice.next) plan_.LookAt(*advice.next, o_.now);
    if (advice.stop) return Stop(attempt, *advice.stop);
    plan_.LookAt(attempt.LostAt(), o_.now);
    // Without its Job, the pod has still something to say when it ends.
    if (job != nullptr) ShowProgress(o_, *job, pod, status_);
  }

 private:
  void Set(std::string_view type, std::string_view value, std::string_view reason,
           std::string_view message) {
    ConditionWriter(o_, status_).Set(type, value, reason, message);
  }

  /// The Job is held by a queue. A runner that ended by itself meanwhile still counts.
  static bool Queued(const Attempt& attempt) {
    if (attempt.job() == nullptr || !attempt.job()->suspended) return false;
    const PodView* pod = attempt.pod();
    const bool ended = pod != nullptr && pod->Over() && !pod->gone && !pod->deleting;
    return attempt.Stopping().empty() && !ended;
  }

  /// True while an attempt that does not count (suspend, preemption) is on its way out. Once it is
  /// gone for sure, the next attempt begins.
  bool ThrowingAway() {
    Attempt attempt(o_, status_);
    const std::string why = attempt.Stopping();
    if (why != "Suspended" && why != "Preempted") return false;
    const PodView* pod = attempt.pod();
    if (const auto unwanted = Unwanted(o_, spec_)) {  // what it has measured so far now counts
      attempt.run().stopping = unwanted->reason;
      status_.message = unwanted->detail;
      return false;
    }
    // A Job that is deleted stays as long as its pod, for ever on a node that is gone.
    const bool held = attempt.job() != nullptr || (pod != nullptr && !pod->Over());
    if (held && !attempt.Lost() && !attempt.OutOfReach()) {
      DeleteJobOf(attempt);
      return true;
    }
    if (!o_.live) {
      plan_.need = Need::kLiveLook;
      return true;
    }
    attempt.run().stopping.clear();
    attempt.run().reason = why;
    status_.attempt += 1;
    status_.start.reset();
    status_.progress.clear();
    status_.percent.reset();
    Set("Running", "False", why, "the attempt was thrown away");
    Set("Scheduled", "Unknown", why, "the next attempt has no pod yet");
    return false;
  }

  /// True while spec.suspend keeps the next attempt from beginning.
  bool HeldBySuspend() {
    const Attempt attempt(o_, status_);
    if (attempt.Recorded() || attempt.job() != nullptr) return false;
    if (!spec_.suspend || Unwanted(o_, spec_)) {
      if (status_.Holds("Suspended")) {
        Set("Suspended", "False", "Resumed", "the test goes on");
        plan_.events.push_back({false, "Resumed", "Resume",
                                "attempt " + std::to_string(status_.attempt) + " from zero"});
      }
      return false;
    }
    Set("Suspended", "True", "SuspendedByUser", "spec.suspend is true; no attempt is under way");
    status_.phase = "Suspended";
    status_.reason = "Suspended";
    status_.message = "set spec.suspend to false to start attempt " +
                      std::to_string(status_.attempt) + " from zero";
    return !TotalIsOver(o_, spec_, plan_);
  }

  /// Writes the intent down; the deletion follows the status in the same plan.
  void Stop(Attempt& attempt, const struct Stop& stop) {
    attempt.run().stopping = stop.reason;
    status_.reason = stop.reason;
    status_.message = stop.detail;
    const bool by_user = stop.reason == "Suspended" || stop.reason == "Aborted";
    plan_.events.push_back({!by_user, stop.reason, "Stop", stop.detail});
    DeleteJobOf(attempt);
  }

  void DeleteJobOf(const Attempt& attempt) {
    const PodView* pod = attempt.pod();
    if (pod != nullptr && pod->runner.kind == ContainerView::Kind::kRunning) {
      plan_.follow_log = ReportJob{pod->name, pod->uid, {}};  // before the deletion, every time
    }
    const JobView* job = attempt.job();
    if (job != nullptr && !job->deleting) plan_.delete_jobs.push_back({job->name, job->uid});
    plan_.LookAt(attempt.LostAt(), o_.now);
    plan_.LookAt(o_.now + kUnwatched, o_.now);
  }

  /// The attempt is over, or nothing of it is left: judge it.
  void End(const Attempt& attempt) {
    const PodView* pod = attempt.pod();
    // A cache miss is no proof of absence: look at the API server before a verdict hangs on it.
    if ((pod == nullptr || pod->gone) && !o_.live) {
      plan_.need = Need::kLiveLook;
      return;
    }
    Ending ending;
    ending.pod = pod;
    if (pod != nullptr) ending.result = contract::DecodeResult(pod->runner.message);
    ending.stopping = attempt.Stopping();
    ending.stopping_detail = status_.message;
    ending.test_uid = o_.test.uid;
    ending.attempt = status_.attempt;
    ending.required = RequiredGates();
    ending.memory_limit = spec_.memory;
    const Outcome outcome = Judge(ending);
    const auto& result = ending.result.result;
    if (result && result->core.report.frames > 0 && !o_.report) {
      plan_.need = Need::kReport;
      plan_.report = ReportJob{pod->name, pod->uid, result->core.report, status_.attempt,
                               NodeRow(*result, outcome, *pod)};
      return;
    }
    Finish(o_, outcome, pod, ending.result, plan_);
  }

  std::vector<std::string> RequiredGates() const {
    std::vector<std::string> names;
    for (const contract::Threshold& threshold : spec_.thresholds) names.push_back(threshold.name);
    const auto& checks = spec_.training.checks;
    const bool decreasing =
        std::find(checks.begin(), checks.end(), contract::Check::kLossDecreases) != checks.end();
    if (decreasing) names.push_back("LossDecreases");
    return names;
  }

  const Observed& o_;
  const Settings& settings_;
  const Spec& spec_;
  Plan& plan_;
  TestStatus& status_;
};

void Reject(const Observed& o, const std::string& message, Plan& plan) {
  ConditionWriter(o, plan.status).Set("Accepted", "False", "InvalidSpec", message);
  Finish(o, {Verdict::kError, Reason::kInvalidSpec, message}, nullptr, {}, plan);
}

}  // namespace

Plan Decide(const Observed& observed, const Settings& settings) {
  Plan plan;
  plan.status = observed.test.status;
  if (observed.test.orphaning) return plan;
  plan.status.observed_generation = observed.test.generation;
  if (plan.status.finished()) {
    AfterFinish(observed, plan);
    return plan;
  }
  const auto spec = contract::ParseSpec(observed.test.spec);
  if (!spec) {
    Reject(observed, spec.error().message, plan);
  } else if (!spec->image.empty() && plan.status.runs.empty() &&
             !ImageAllowed(spec->image, settings)) {  // a run that exists is judged as usual
    Reject(observed,
           "spec.image " + spec->image +
               " is not one that this operator allows; ask for it to be "
               "added to runner.allowedImages of its chart, or leave spec.image out",
           plan);
  } else {
    Decision(observed, settings, *spec, plan).Make();
  }
  return plan;
}

}  // namespace torchsoak::stresstest
