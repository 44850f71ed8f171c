#include "operator/stresstest/begin.h"

#include <algorithm>
#include <utility>

#include "operator/stresstest/condition_writer.h"
#include "operator/stresstest/finish.h"
#include "operator/stresstest/job_builder.h"
#include "operator/stresstest/progress.h"
#include "operator/stresstest/stop_policy.h"

namespace torchsoak::stresstest {
namespace {

using contract::Reason;
using contract::Verdict;

void FinishWithoutPod(const Observed& o, Verdict verdict, Reason reason, const std::string& message,
                      Plan& plan) {
  Finish(o, {verdict, reason, message}, nullptr, {}, plan);
}

/// A taken name or a refused Job ends the test; anything else is waited for, within the clock.
void ShowCreateProblem(const Observed& o, const contract::Spec& spec, Plan& plan) {
  const CreateProblem& problem = *o.create_problem;
  const ConditionWriter write(o, plan.status);
  if (problem.kind == CreateProblem::Kind::kNameTaken) {
    return FinishWithoutPod(o, Verdict::kError, Reason::kNameConflict, problem.message, plan);
  }
  if (problem.kind == CreateProblem::Kind::kRefused) {
    write.Set("Accepted", "False", "InvalidSpec", problem.message);
    return FinishWithoutPod(o, Verdict::kError, Reason::kInvalidSpec,
                            "the API server refused the Job: " + problem.message, plan);
  }
  TestStatus& status = plan.status;
  write.Set("Scheduled", "False", "CreateFailed", problem.message);
  status.phase = "Pending";
  status.reason = "CreateFailed";
  status.message = "the Job could not be created yet: " + problem.message;
  const WallTime end = status.Find("Scheduled")->since + spec.timeouts.scheduling;
  if (end <= o.now) {
    const std::string message = status.message;
    return FinishWithoutPod(o, Verdict::kInconclusive, Reason::kUnschedulable, message, plan);
  }
  plan.LookAt(std::min(end, o.now + std::chrono::seconds(5)), o.now);
}

void CreateJob(const Observed& o, const Settings& settings, const contract::Spec& spec,
               Attempt& attempt, Plan& plan) {
  const std::string image = spec.image.empty() ? settings.runner_image : spec.image;
  auto manifest = BuildJob(o.test, spec, plan.status.attempt, image);
  if (!manifest) {
    return FinishWithoutPod(o, Verdict::kError, Reason::kInvalidSpec, manifest.error().message,
                            plan);
  }
  plan.create_job = std::move(*manifest);
  attempt.Record();
  JobView created;
  created.name = attempt.run().name;
  ShowProgress(o, created, nullptr, plan.status);
  plan.LookAt(o.now + spec.timeouts.scheduling, o.now);
  plan.events.push_back({false, "JobCreated", "Create", "created Job " + attempt.run().name});
}

}  // namespace

bool TotalIsOver(const Observed& o, const contract::Spec& spec, Plan& plan) {
  if (!spec.timeouts.total) return false;
  const WallTime end = o.test.created + *spec.timeouts.total;
  if (end > o.now) plan.LookAt(end, o.now);
  return end <= o.now;
}

void Begin(const Observed& o, const Settings& settings, const contract::Spec& spec,
           Attempt& attempt, Plan& plan) {
  const auto unwanted = Unwanted(o, spec);
  const bool late = TotalIsOver(o, spec, plan);
  // "No pod was created" is final: the cache may not know of a Job made just before a crash.
  if ((unwanted || late) && !o.live) {
    plan.need = Need::kLiveLook;
    return;
  }
  // Earlier attempts were thrown away, by a suspend or a queue.
  const bool first = plan.status.runs.empty();
  if (unwanted) {
    const char* when = first ? " before a pod was created" : " while no attempt was under way";
    return FinishWithoutPod(o, Verdict::kAborted, Reason::kAborted, unwanted->detail + when, plan);
  }
  if (late) {
    return FinishWithoutPod(o, Verdict::kInconclusive, Reason::kUnschedulable,
                            first ? "timeouts.total is over and no pod had been created"
                                  : "timeouts.total is over and no attempt was under way",
                            plan);
  }
  if (o.create_problem) return ShowCreateProblem(o, spec, plan);
  CreateJob(o, settings, spec, attempt, plan);
}

}  // namespace torchsoak::stresstest
