#include "operator/stresstest/stop_policy.h"

#include <algorithm>
#include <array>

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
  const std::string why =
      pod == nullptr
          ? "no pod was created within " + limit +
                ": a quota, a limit range or an admission webhook may refuse it; kubectl "
                "describe job says which"
          : With("no node took the pod within " + limit, pod->scheduled_message);
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
    const std::string why = runner.reason.empty() ? "" : runner.reason + " " + runner.message;
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

StopAdvice AdviseStop(const Observed& o, const contract::Spec& spec, const JobView* job,
                      const PodView* pod) {
  if (spec.abort) return {Stop{"Aborted", "aborted by spec.abort"}, std::nullopt};
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
