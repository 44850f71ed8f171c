#include "operator/stresstest/progress.h"

#include <string>

namespace torchsoak::stresstest {
namespace {

/// Sets conditions of one test at one time.
class Writer {
 public:
  Writer(const Observed& o, TestStatus& status) : o_(o), status_(status) {}

  void Set(std::string_view type, std::string_view value, std::string_view reason,
           std::string_view message) {
    SetAt(type, value, reason, message, o_.now);
  }

  void SetAt(std::string_view type, std::string_view value, std::string_view reason,
             std::string_view message, WallTime when) {
    status_.Set(type, value, reason, message, when, o_.test.generation);
  }

  void NotStarted() { Set("Running", "False", "NotStarted", "the runner has not started"); }

  void Say(const std::string& phase, const std::string& reason, const std::string& message) {
    status_.phase = phase;
    status_.reason = reason;
    status_.message = message;
  }

 private:
  const Observed& o_;
  TestStatus& status_;
};

void ShowQueued(Writer write) {
  // Unknown, not False: the scheduling clock starts anew when the queue lets the Job go.
  write.Set("Scheduled", "Unknown", "Queued", "the Job is suspended by a queue");
  write.NotStarted();
  write.Say("Queued", "Queued", "waiting in a queue; of all timeouts only total runs meanwhile");
}

void ShowWaiting(const PodView* pod, Writer write) {
  const bool refused = pod != nullptr && pod->scheduled == "False";
  const std::string reason = refused ? "Unschedulable" : "WaitingForPod";
  const std::string message = refused ? "no node takes the pod yet: " + pod->scheduled_message
                                      : "the Job has been created; waiting for its pod";
  write.Set("Scheduled", "False", reason, message);
  write.NotStarted();
  write.Say("Pending", reason, message);
}

void ShowStarting(const PodView& pod, Writer write) {
  const ContainerView& runner = pod.runner;
  write.NotStarted();
  write.Say("Starting", runner.reason.empty() ? "Starting" : runner.reason,
            "starting on " + pod.node + (runner.message.empty() ? "" : ": " + runner.message));
}

}  // namespace

void ShowProgress(const Observed& o, const JobView& job, const PodView* pod, TestStatus& status) {
  Writer write(o, status);
  if (job.suspended) return ShowQueued(write);
  if (pod == nullptr || pod->node.empty()) return ShowWaiting(pod, write);
  write.SetAt("Scheduled", "True", "PodScheduled", "on " + pod->node,
              pod->scheduled_at.value_or(o.now));
  if (pod->runner.kind != ContainerView::Kind::kRunning) return ShowStarting(*pod, write);
  const WallTime since = pod->runner.started.value_or(o.now);
  status.start = since;
  if (pod->progress) {
    status.progress = pod->progress->text;
    status.percent = pod->progress->percent;
  }
  write.SetAt("Running", "True", "RunnerStarted", "on " + pod->node, since);
  write.Say("Running", "Running", "running on " + pod->node);
}

}  // namespace torchsoak::stresstest
