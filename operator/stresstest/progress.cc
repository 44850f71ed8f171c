#include "operator/stresstest/progress.h"

#include <string>

#include "operator/stresstest/condition_writer.h"
#include "operator/stresstest/stop_policy.h"

namespace torchsoak::stresstest {
namespace {

/// What the status says, in phase, sentence and conditions.
class Writer : public ConditionWriter {
 public:
  Writer(const Observed& o, TestStatus& status) : ConditionWriter(o, status), status_(status) {}

  void NotStarted() const { Set("Running", "False", "NotStarted", "the runner has not started"); }

  void Say(const std::string& phase, const std::string& reason, const std::string& message) const {
    status_.phase = phase;
    status_.reason = reason;
    status_.message = message;
  }

 private:
  TestStatus& status_;
};

void ShowQueued(const Writer& write) {
  // Unknown, not False: the scheduling clock starts anew when the queue lets the Job go.
  write.Set("Scheduled", "Unknown", "Queued", "the Job is suspended by a queue");
  write.NotStarted();
  write.Say("Queued", "Queued", "waiting in a queue; of all timeouts only total runs meanwhile");
}

void ShowWaiting(const JobView& job, const PodView* pod, const Writer& write) {
  std::string reason = "WaitingForPod";
  std::string message = "waiting for the pod of Job " + job.name +
                        "; if none comes, kubectl describe job " + job.name + " says why";
  if (pod != nullptr && pod->scheduled == "False") {
    reason = "Unschedulable";
    message = "no node takes the pod yet: " + pod->scheduled_message;
  } else if (pod != nullptr) {
    reason = "WaitingForScheduler";
    message = "pod " + pod->name + " waits for a scheduler";
  }
  write.Set("Scheduled", "False", reason, message);
  write.NotStarted();
  write.Say("Pending", reason, message);
}

void ShowStarting(const PodView& pod, const Writer& write) {
  const ContainerView& runner = pod.runner;
  write.NotStarted();
  write.Say("Starting", runner.reason.empty() ? "Starting" : runner.reason,
            "starting on " + pod.node + (runner.message.empty() ? "" : ": " + runner.message));
}

}  // namespace

void ShowProgress(const Observed& o, const JobView& job, const PodView* pod, TestStatus& status) {
  const Writer write(o, status);
  if (job.suspended) return ShowQueued(write);
  if (pod == nullptr || pod->node.empty()) return ShowWaiting(job, pod, write);
  ConditionWriter(o, status, pod->scheduled_at.value_or(o.now))
      .Set("Scheduled", "True", "PodScheduled", "on " + pod->node);
  if (pod->runner.kind != ContainerView::Kind::kRunning) return ShowStarting(*pod, write);
  status.start = pod->runner.started.value_or(o.now);
  if (pod->progress) {
    status.progress = pod->progress->text;
    status.percent = pod->progress->percent;
  }
  ConditionWriter(o, status, RunBegan(o, *pod))
      .Set("Running", "True", "RunnerStarted", "on " + pod->node);
  write.Say("Running", "Running",
            "running on " + pod->node +
                (job.orphan ? "; Job " + job.name +
                                  " has lost its owner and will outlive the test: delete it by hand"
                            : ""));
}

}  // namespace torchsoak::stresstest
