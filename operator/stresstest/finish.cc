#include "operator/stresstest/finish.h"

#include <algorithm>

#include "operator/stresstest/condition_writer.h"
#include "operator/stresstest/result_status.h"

namespace torchsoak::stresstest {
namespace {

using contract::Outcome;
using contract::Verdict;

/// How soon to look again at a pod that should be gone; events usually come first.
constexpr std::chrono::seconds kReleaseLook{15};

const PodView* FindHeld(const Observed& o) {
  const auto held =
      std::find_if(o.pods.begin(), o.pods.end(), [](const PodView& pod) { return !pod.Over(); });
  return held == o.pods.end() ? nullptr : &*held;
}

/// What of the test will outlive it, because somebody removed the owner that takes it along.
std::string OrphanNote(const Observed& o) {
  for (const JobView& job : o.jobs) {
    if (job.orphan) return "; Job " + job.name + " has no owner any more: delete it by hand";
  }
  return "";
}

void ShowReleased(const Observed& o, Plan& plan) {
  const ConditionWriter write(o, plan.status);
  const PodView* held = FindHeld(o);
  if (held == nullptr) {
    return write.Set("ResourcesReleased", "True", "NoPodRuns",
                     "no pod of the test runs any more" + OrphanNote(o));
  }
  const std::string where = held->node.empty() ? "" : " on " + held->node;
  const bool stray = held->job_uid.empty() && !held->deleting;
  write.Set("ResourcesReleased", "False", "PodNotTerminated",
            "pod " + held->name + where + " has not ended" +
                (stray ? " and has no owner any more: kubectl delete pod " + held->name : ""));
  plan.look_again = kReleaseLook;
  for (const JobView& job : o.jobs) {
    if (!job.deleting && job.uid == held->job_uid) plan.delete_jobs.push_back({job.name, job.uid});
  }
}

void ShowPassed(const Observed& o, const Outcome& outcome, TestStatus& status) {
  const std::string_view reason = contract::ToString(outcome.reason);
  const char* value = outcome.verdict == Verdict::kPassed   ? "True"
                      : outcome.verdict == Verdict::kFailed ? "False"
                                                            : "Unknown";
  ConditionWriter(o, status).Set("Passed", value, reason, outcome.message);
}

void ShowRun(const Observed& o, const Outcome& outcome, const PodView* pod, TestStatus& status) {
  const bool current = status.CurrentRun() != nullptr;
  const std::string node = pod != nullptr ? pod->node
                           : current      ? status.runs.front().node
                                          : std::string();
  const bool started =
      pod != nullptr ? pod->runner.started.has_value() : current && status.start.has_value();
  if (!node.empty()) {
    ConditionWriter(o, status).Set("Scheduled", "True", "PodScheduled", "on " + node);
  } else {
    ConditionWriter(o, status).Set("Scheduled", "False", "NotScheduled", outcome.message);
  }
  ConditionWriter(o, status).Set("Running", "False", started ? "Ended" : "NotStarted",
                                 started ? "the runner has ended" : "the runner never started");
  if (pod != nullptr && started) status.start = pod->runner.started;
  const bool timed = pod != nullptr && pod->runner.finished.has_value();
  status.completion = timed ? *pod->runner.finished : o.now;
  if (!current) return;
  RunStatus& run = status.runs.front();
  run.verdict = contract::ToString(outcome.verdict);
  run.reason = contract::ToString(outcome.reason);
  run.stopping.clear();
  if (pod != nullptr && pod->runner.kind == ContainerView::Kind::kTerminated) {
    run.exit_code = pod->runner.exit_code;
  }
}

/// What the run says of itself; else what was seen of it last.
void ShowPercent(const Outcome& outcome, const contract::DecodedResult& result,
                 TestStatus& status) {
  auto percent = result.result ? result.result->core.percent : std::nullopt;
  if (outcome.verdict == Verdict::kPassed) percent = 100;
  if (!percent) return;
  status.percent = percent;
  status.progress = std::to_string(*percent) + "%";
}

void ShowCompleteness(const Observed& o, const contract::DecodedResult& result, const PodView* pod,
                      TestStatus& status) {
  ConditionWriter(o, status).Set("ResultsCollected", "True", "Collected",
                                 "what the run left behind has been read");
  if (o.report && o.report->stored) {
    status.results = {{"configMaps", Json::array({o.report->config_map})},
                      {"sha256", o.report->sha256}};
  }
  // A runner that never ran has left nothing that could be cut.
  const bool ran = pod != nullptr && pod->runner.started.has_value();
  if (result.damaged && ran) {
    ConditionWriter(o, status).Set("ResultComplete", "False", "ResultTruncated", result.problem);
  } else if (o.report && o.report->stored) {
    ConditionWriter(o, status).Set("ResultComplete", "True", "ReportStored",
                                   "the report is in ConfigMap " + o.report->config_map);
  } else if (o.report) {
    ConditionWriter(o, status).Set("ResultComplete", "False", "ReportLost", o.report->problem);
  } else {
    ConditionWriter(o, status).Set("ResultComplete", "False", "NoReport",
                                   "the run ended before it wrote a report");
  }
}

}  // namespace

void Finish(const Observed& o, const Outcome& outcome, const PodView* pod,
            const contract::DecodedResult& result, Plan& plan) {
  TestStatus& status = plan.status;
  status.phase = "Finished";
  status.verdict = contract::ToString(outcome.verdict);
  status.reason = contract::ToString(outcome.reason);
  status.message = outcome.message;
  ShowPercent(outcome, result, status);
  ShowRun(o, outcome, pod, status);
  ShowCompleteness(o, result, pod, status);
  ShowResult(result, o.test, pod, status);
  ConditionWriter(o, status).Set("Finished", "True", status.reason, "the test has ended");
  ShowPassed(o, outcome, status);
  ShowReleased(o, plan);
  const bool wished = outcome.verdict == Verdict::kPassed || outcome.verdict == Verdict::kAborted;
  plan.events.push_back(
      {!wished, status.reason, "Finish", status.verdict + ": " + outcome.message});
}

void AfterFinish(const Observed& o, Plan& plan) {
  // Released is said for good: not by a cache that does not show what lost its labels.
  const bool said = plan.status.Holds("ResourcesReleased");
  if (!said && FindHeld(o) == nullptr && !o.live) {
    plan.need = Need::kLiveLook;
    return;
  }
  ShowReleased(o, plan);
  const auto spec = contract::ParseSpec(o.test.spec);
  const Condition* finished = plan.status.Find("Finished");
  if (!spec || finished == nullptr) return;
  const auto ttl =
      plan.status.verdict == "Passed" ? spec->ttl_after_passed : spec->ttl_after_failed;
  // Clean-up waits until the results are in and the devices are free.
  if (o.test.deleting || !ttl || !plan.status.Holds("ResultsCollected") ||
      !plan.status.Holds("ResourcesReleased")) {
    return;
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(finished->since + *ttl - o.now);
  if (left.count() <= 0) {
    plan.delete_test = true;
  } else {
    plan.look_again = left;
  }
}

}  // namespace torchsoak::stresstest
