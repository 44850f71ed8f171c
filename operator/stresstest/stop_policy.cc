#include "operator/stresstest/stop_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/duration.h"

namespace torchsoak::stresstest {
namespace {

using std::chrono::milliseconds;

/// A registry may blink; this long after the first pull that failed the image is called missing.
constexpr milliseconds kImagePatience = std::chrono::minutes(1);

/// Collects clocks: the first that has run out gives the stop, the others the next look.
class Clocks {
 public:
  explicit Clocks(WallTime now) : now_(now) {}

  void Add(WallTime start, milliseconds limit, const Stop& stop) {
    const WallTime end = start + limit;
    if (end <= now_) {
      if (!advice_.stop) advice_.stop = stop;
    } else if (!advice_.next || end < *advice_.next) {
      advice_.next = end;
    }
  }

  StopAdvice Take() { return advice_; }

 private:
  WallTime now_;
  StopAdvice advice_;
};

std::string With(const std::string& sentence, const std::string& detail) {
  return detail.empty() ? sentence : sentence + ": " + detail;
}

void AddTotal(const Observed& o, const contract::Spec& spec, const PodView* pod, Clocks& clocks) {
  if (!spec.timeouts.total) return;
  const std::string limit = "timeouts.total (" + FormatDuration(*spec.timeouts.total) + ") is over";
  const bool started = pod != nullptr && pod->runner.started;
  clocks.Add(o.test.created, *spec.timeouts.total,
             started ? Stop{"RunTimeout", limit + " and the run had not ended"}
                     : Stop{"Unschedulable", limit + " and the run had not started"});
}

void AddScheduling(const Observed& o, const contract::Spec& spec, const PodView* pod,
                   Clocks& clocks) {
  const Condition* scheduled = o.test.status.Find("Scheduled");
  // Not recorded yet: the write that is about to happen starts the clock.
  const WallTime since =
      scheduled != nullptr && scheduled->status == "False" ? scheduled->since : o.now;
  const std::string limit = FormatDuration(spec.timeouts.scheduling);
  // The Job controller tells why only in an event, which may be gone or not be readable.
  std::string why;
  if (pod == nullptr) {
    why =
        "no pod was created within " + limit +
        ": a quota, a limit range, an admission webhook or a class that does not exist (priority, "
        "runtime) may be in the way; kubectl describe job says which";
  } else if (pod->scheduled.empty()) {
    const std::string name = GetString(spec.pod, {"schedulerName"}, "default-scheduler");
    why = "no scheduler looked at the pod within " + limit + ": does one named " + name + " run?";
  } else {
    why = With("no node took the pod within " + limit, pod->scheduled_message);
  }
  clocks.Add(since, spec.timeouts.scheduling, {"Unschedulable", why});
}

/// Not recorded yet for this pod: the write that is about to happen starts the clock.
WallTime PullFailingSince(const Observed& o, const PodView& pod) {
  const RunStatus* run = o.test.status.CurrentRun();
  return run != nullptr && run->pod_uid == pod.uid ? run->pull_failing_since.value_or(o.now)
                                                   : o.now;
}

void AddStartup(const Observed& o, const contract::Spec& spec, const PodView& pod, Clocks& clocks) {
  const WallTime since = pod.scheduled_at.value_or(o.now);
  const ContainerView& runner = pod.runner;
  if (!IsImageProblem(runner.reason)) {
    // What a volume or the network waits for stands in events only.
    const std::string hint = "kubectl describe pod " + pod.name + " says what it waits for";
    const std::string why =
        runner.message.empty() ? hint : runner.reason + " " + runner.message + "; " + hint;
    clocks.Add(since, spec.timeouts.startup,
               {"StartupTimeout", With("the runner did not start on " + pod.node + " within " +
                                           FormatDuration(spec.timeouts.startup),
                                       why)});
    return;
  }
  const bool hopeless = runner.reason == "InvalidImageName" || runner.reason == "ErrImageNeverPull";
  const milliseconds patience =
      hopeless ? milliseconds(0) : std::min(kImagePatience, spec.timeouts.startup);
  clocks.Add(
      PullFailingSince(o, pod), patience,
      {"ImagePull", With("the image cannot be pulled on " + pod.node + " (" + runner.reason + ")",
                         runner.message)});
}

}  // namespace

WallTime RunBegan(const Observed& o, const PodView& pod) {
  const WallTime started = pod.runner.started.value_or(o.now);
  const bool possible = started <= o.now && started >= pod.scheduled_at.value_or(started);
  return possible ? started : o.now;
}

bool IsImageProblem(const std::string& waiting_reason) {
  constexpr std::array kReasons{
      "ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",         "ErrImageNeverPull",
      "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"};
  return std::find(kReasons.begin(), kReasons.end(), waiting_reason) != kReasons.end();
}

std::optional<Stop> Unwanted(const Observed& o, const contract::Spec& spec) {
  if (spec.abort) return Stop{"Aborted", "aborted by spec.abort"};
  if (o.test.deleting) return Stop{"Aborted", "ended by the deletion of the test"};
  return std::nullopt;
}

StopAdvice AdviseStop(const Observed& o, const contract::Spec& spec, const JobView* job,
                      const PodView* pod) {
  if (auto unwanted = Unwanted(o, spec)) return {std::move(unwanted), std::nullopt};
  if (spec.suspend) return {Stop{"Suspended", "suspended by spec.suspend"}, std::nullopt};
  Clocks clocks(o.now);
  AddTotal(o, spec, pod, clocks);
  if (job != nullptr && job->suspended) return clocks.Take();
  if (pod == nullptr || pod->node.empty()) {
    AddScheduling(o, spec, pod, clocks);
  } else if (!pod->runner.started) {
    AddStartup(o, spec, *pod, clocks);
  } else {
    const Condition* running = o.test.status.Find("Running");
    const bool recorded = running != nullptr && running->status == "True";
    clocks.Add(recorded ? running->since : RunBegan(o, *pod), spec.timeouts.run,
               {"RunTimeout", "the run took longer than timeouts.run (" +
                                  FormatDuration(spec.timeouts.run) + ") on " + pod->node});
  }
  return clocks.Take();
}

}  // namespace torchsoak::stresstest
