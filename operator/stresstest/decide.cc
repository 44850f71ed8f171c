#include "operator/stresstest/decide.h"

#include <algorithm>

#include "operator/stresstest/attempt.h"
#include "operator/stresstest/condition_writer.h"
#include "operator/stresstest/failure_policy.h"
#include "operator/stresstest/finish.h"
#include "operator/stresstest/job_builder.h"
#include "operator/stresstest/progress.h"
#include "operator/stresstest/result_status.h"
#include "operator/stresstest/stop_policy.h"

namespace torchsoak::stresstest {
namespace {

using contract::Outcome;
using contract::Reason;
using contract::Spec;
using contract::Verdict;

/// One decision about a test that has not finished. Lives as long as the call.
class Decision {
 public:
  Decision(const Observed& observed, const Settings& settings, const Spec& spec, Plan& plan)
      : o_(observed), settings_(settings), spec_(spec), plan_(plan), status_(plan.status) {}

  void Make() {
    Set("Accepted", "True", "SpecAccepted", "the spec can be run");
    if (status_.attempt == 0) status_.attempt = 1;
    if (ThrowingAway() || HeldBySuspend()) return;
    Attempt attempt(o_, status_);
    if (attempt.job() == nullptr && !attempt.Recorded()) return BeforeJob(attempt);
    attempt.Record();
    const PodView* pod = attempt.pod();
    const bool queued = Queued(attempt);
    if (queued && attempt.Started()) {
      return Stop(attempt, {"Preempted", "the queue took the run's place"});
    }
    const JobView* job = attempt.job();
    const bool vanished = pod == nullptr && (job == nullptr || job->failed || job->complete);
    const bool over = pod != nullptr && (pod->Over() || attempt.Lost());
    if (vanished || (over && !queued)) return End(attempt);
    if (job == nullptr) return AwaitEnd(attempt);
    if (!attempt.Stopping().empty()) return DeleteJobOf(attempt);
    const StopAdvice advice = AdviseStop(o_, spec_, attempt.job(), pod);
    if (advice.next) LookAt(*advice.next);
    if (advice.stop) return Stop(attempt, *advice.stop);
    LookAt(attempt.LostAt());
    ShowProgress(o_, *attempt.job(), pod, status_);
  }

 private:
  void Set(std::string_view type, std::string_view value, std::string_view reason,
           std::string_view message) {
    ConditionWriter(o_, status_).Set(type, value, reason, message);
  }

  void LookAt(WallTime when) {
    if (when == WallTime::max()) return;
    const auto wait = std::max(std::chrono::duration_cast<std::chrono::milliseconds>(when - o_.now),
                               std::chrono::milliseconds(1));
    if (!plan_.look_again || wait < *plan_.look_again) plan_.look_again = wait;
  }

  /// Somebody took the Job away; its pod has still something to say when it ends.
  void AwaitEnd(const Attempt& attempt) {
    LookAt(attempt.LostAt());
    LookAt(o_.now + std::chrono::seconds(15));
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
    // A Job that is deleted stays as long as its pod, for ever on a node that is gone.
    const bool held = attempt.job() != nullptr || (pod != nullptr && !pod->Over());
    if (held && !attempt.Lost()) {
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
    if (!spec_.suspend || spec_.abort) {
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
    return !TotalIsOver();
  }

  bool TotalIsOver() {
    if (!spec_.timeouts.total) return false;
    const WallTime end = o_.test.created + *spec_.timeouts.total;
    if (end > o_.now) LookAt(end);
    return end <= o_.now;
  }

  void BeforeJob(Attempt& attempt) {
    // "No pod was created" is final: the cache may not know of a Job made just before a crash.
    if ((spec_.abort || TotalIsOver()) && !o_.live) {
      plan_.need = Need::kLiveLook;
      return;
    }
    if (spec_.abort) {
      return FinishWithoutPod(Verdict::kAborted, Reason::kAborted,
                              "aborted by spec.abort before a pod was created");
    }
    if (TotalIsOver()) {
      return FinishWithoutPod(Verdict::kInconclusive, Reason::kUnschedulable,
                              "timeouts.total is over and no pod had been created");
    }
    if (o_.create_problem) return ShowCreateProblem(*o_.create_problem);
    const std::string image = spec_.image.empty() ? settings_.runner_image : spec_.image;
    auto manifest = BuildJob(o_.test, spec_, status_.attempt, image);
    if (!manifest) {
      return FinishWithoutPod(Verdict::kError, Reason::kInvalidSpec, manifest.error().message);
    }
    plan_.create_job = std::move(*manifest);
    attempt.Record();
    JobView created;
    ShowProgress(o_, created, nullptr, status_);
    LookAt(o_.now + spec_.timeouts.scheduling);
    plan_.events.push_back({false, "JobCreated", "Create", "created Job " + attempt.run().name});
  }

  /// A taken name or a refused Job ends the test; anything else is waited for, within the clock.
  void ShowCreateProblem(const CreateProblem& problem) {
    if (problem.kind == CreateProblem::Kind::kNameTaken) {
      return FinishWithoutPod(Verdict::kError, Reason::kNameConflict, problem.message);
    }
    if (problem.kind == CreateProblem::Kind::kRefused) {
      Set("Accepted", "False", "InvalidSpec", problem.message);
      return FinishWithoutPod(Verdict::kError, Reason::kInvalidSpec,
                              "the API server refused the Job: " + problem.message);
    }
    Set("Scheduled", "False", "CreateFailed", problem.message);
    status_.phase = "Pending";
    status_.reason = "CreateFailed";
    status_.message = "the Job could not be created yet: " + problem.message;
    const WallTime end = status_.Find("Scheduled")->since + spec_.timeouts.scheduling;
    if (end <= o_.now) {
      return FinishWithoutPod(Verdict::kInconclusive, Reason::kUnschedulable, status_.message);
    }
    LookAt(std::min(end, o_.now + std::chrono::seconds(5)));
  }

  void FinishWithoutPod(Verdict verdict, Reason reason, const std::string& message) {
    Finish(o_, {verdict, reason, message}, nullptr, {}, plan_);
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
    LookAt(attempt.LostAt());
    LookAt(o_.now + std::chrono::seconds(15));
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

bool ImageAllowed(const std::string& image, const Settings& settings) {
  if (image == settings.runner_image) return true;
  return std::any_of(settings.allowed_images.begin(), settings.allowed_images.end(),
                     [&](const std::string& allowed) {
                       if (!allowed.empty() && allowed.back() == '*') {
                         return image.rfind(allowed.substr(0, allowed.size() - 1), 0) == 0;
                       }
                       return image == allowed;
                     });
}

Plan Decide(const Observed& observed, const Settings& settings) {
  Plan plan;
  plan.status = observed.test.status;
  if (observed.test.deleting) return plan;  // garbage collection takes the children
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
