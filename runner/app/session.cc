#include "runner/app/session.h"

#include <exception>
#include <utility>

#include "runner/app/preflight.h"
#include "runner/app/recorder.h"
#include "runner/app/soak.h"
#include "runner/app/supervisor.h"
#include "runner/canary/canaries.h"
#include "runner/report/conclusion.h"

namespace torchsoak::runner {
namespace {

using contract::Outcome;
using contract::Reason;
using contract::Verdict;

/// Where a run's end is turned into words; used by whichever thread ends it.
class Finisher {
 public:
  Finisher(const RunFacts& facts, const SessionParts& parts) : facts_(facts), parts_(parts) {}

  int Finish(const Snapshot& snapshot, const End& end) {
    contract::RunResult result =
        ConcludeRun(facts_.run, facts_.spec, snapshot, end, facts_.environment.node);
    const int exit = result.core.exit;
    const ReportInput input{facts_, snapshot, end, result, parts_.clock.Wall()};
    const auto report = PackReport(input);
    parts_.delivery.Finish(result, report ? &*report : nullptr);
    exit_ = exit;
    return exit;
  }

  void Checkpoint(const Snapshot& snapshot) {
    parts_.delivery.Checkpoint(CheckpointOf(facts_.run, facts_.spec, snapshot));
  }

  void Show(const Snapshot& snapshot, std::int64_t step) {
    parts_.delivery.Show(facts_.spec, ProgressOf(facts_.spec, snapshot, step));
  }

  int exit() const { return exit_; }

 private:
  const RunFacts& facts_;
  const SessionParts& parts_;
  int exit_ = contract::kExitError;
};

Outcome Unprepared(const Error& error) {
  const Reason reason = error.code == ErrorCode::kTooLarge  ? Reason::kOOMKilled
                        : error.code == ErrorCode::kInvalid ? Reason::kInvalidSpec
                                                            : Reason::kRunnerCrashed;
  return {Verdict::kError, reason, error.message};
}

/// False, with the draft's outcome set, when a detector is blind.
bool ProveDetectors(const contract::Spec& spec, Device& device, Backend& backend,
                    Workload& workload, Recorder& recorder) {
  recorder.Enter(Phase::kCanary);
  Snapshot& draft = recorder.draft();
  draft.canaries = RunCanaries(
      {spec, device, backend, &workload, ReadProcessUse, [&] { recorder.heartbeat().Beat(); }});
  draft.gates.push_back(CanaryGate(draft.canaries));
  if (draft.gates.back().result != contract::GateResult::kFailed) return true;
  draft.outcome = Outcome{Verdict::kError, Reason::kPreflightFailed, draft.gates.back().message};
  return false;
}

/// The measuring thread's work. Sets the draft's outcome when it cannot go on.
void Work(const RunFacts& facts, Backend& backend, Recorder& recorder,
          const std::atomic<bool>& stop) {
  recorder.Enter(Phase::kPreflight);
  const auto device = RunPreflight(facts.spec, facts.environment, backend, recorder);
  recorder.Publish();
  if (device == nullptr || stop) return;
  auto workload = backend.Make(facts.spec, *device);
  if (workload && *workload == nullptr) {  // a Preflight test is over here
    recorder.draft().completed = true;
    return;
  }
  recorder.Enter(Phase::kPrepare);
  const Status ready = workload ? (*workload)->Prepare() : Status(Wrap("model", workload.error()));
  if (!ready) {
    recorder.draft().outcome = Unprepared(ready.error());
    return;
  }
  recorder.draft().workload = (*workload)->Describe();
  if (stop || !ProveDetectors(facts.spec, *device, backend, **workload, recorder)) return;
  Soak(facts.spec, **workload, *device, recorder, stop).Run();
  recorder.draft().workload = (*workload)->Describe();  // with what it counted meanwhile
}

void WorkGuarded(const RunFacts& facts, Backend& backend, Recorder& recorder,
                 const std::atomic<bool>& stop) {
  // Whatever a library throws past its own catch is this run's crash, with its words kept.
  std::string what;
  try {
    Work(facts, backend, recorder, stop);
    return;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
    what = "an exception of unknown type";
  }
  const bool measuring = recorder.measurements() != nullptr && recorder.measurements()->steps() > 0;
  recorder.draft().outcome = Outcome{measuring ? Verdict::kFailed : Verdict::kError,
                                     Reason::kRunnerCrashed, "unexpected error: " + what};
}

}  // namespace

int RunSession(const RunFacts& facts, const SessionParts& parts) {
  Board board;
  Heartbeat heartbeat;
  Recorder recorder(parts.clock, heartbeat, board);
  Finisher finisher(facts, parts);
  Supervisor::Settings settings;
  settings.limits.stall = facts.spec.timeouts.stall;
  if (parts.enforce_run_timeout) settings.limits.run = facts.spec.timeouts.run;
  settings.progress_every = parts.delivery.ProgressEvery();
  Supervisor supervisor(
      parts.clock, board, heartbeat, parts.stops, settings,
      {[&](const Snapshot& snapshot) { finisher.Checkpoint(snapshot); },
       [&](const Snapshot& snapshot, std::int64_t step) { finisher.Show(snapshot, step); },
       [&](const Snapshot& snapshot, const End& end) {
         parts.exit(finisher.Finish(snapshot, end));
       }});

  WorkGuarded(facts, parts.backend, recorder, supervisor.stop());
  recorder.Enter(Phase::kFlush);
  // When the supervisor was faster, it ends the process while TakeOver waits for it.
  std::optional<End> end = supervisor.TakeOver();
  if (!end) return finisher.exit();
  const auto snapshot = board.TryLatest();
  if (snapshot->completed || snapshot->outcome) end->cause = End::Cause::kDone;
  return finisher.Finish(*snapshot, *end);
}

}  // namespace torchsoak::runner
