#include "operator/stresstest/failure_policy.h"

#include <algorithm>
#include <optional>

namespace torchsoak::stresstest {
namespace {

using contract::Core;
using contract::Outcome;
using contract::Reason;
using contract::ResultState;
using contract::Verdict;

constexpr int kLostContainer = 255;  ///< what containerd says of one that a reboot took

const Core* CoreOf(const Ending& ending) {
  return ending.result.result ? &ending.result.result->core : nullptr;
}

bool Measuring(const Ending& ending) {
  const Core* core = CoreOf(ending);
  return core != nullptr && core->measuring;
}

/// " after 1200 measured steps", or "" when none is known.
std::string AfterSteps(const Ending& ending) {
  const Core* core = CoreOf(ending);
  if (core == nullptr || core->steps <= 0) return "";
  return " after " + std::to_string(core->steps) + " measured steps";
}

std::string OnNode(const Ending& ending) {
  return ending.pod == nullptr || ending.pod->node.empty() ? "" : " on " + ending.pod->node;
}

/// A limit that was reached does not hide what had been found: a run that was done, or had failed.
bool SpeaksForItself(const Ending& ending) {
  const Core* core = CoreOf(ending);
  if (core == nullptr || core->state != ResultState::kFinal || !core->outcome) return false;
  return !core->partial || core->outcome->verdict == Verdict::kFailed;
}

/// Why the operator stopped it outranks what the runner said on the way out.
std::optional<Outcome> JudgeStopped(const Ending& ending) {
  if (ending.stopping.empty()) return std::nullopt;
  if (ending.stopping != "Aborted" && SpeaksForItself(ending)) return std::nullopt;
  const auto reason = contract::ParseReason(ending.stopping).value_or(Reason::kRunTimeout);
  Verdict verdict = Verdict::kInconclusive;
  if (reason == Reason::kAborted) verdict = Verdict::kAborted;
  if (reason == Reason::kImagePull || reason == Reason::kStartupTimeout) verdict = Verdict::kError;
  return Outcome{verdict, reason, ending.stopping_detail + AfterSteps(ending)};
}

/// Ends that Kubernetes caused and that say nothing about what was tested.
std::optional<Outcome> JudgeDisrupted(const Ending& ending) {
  const PodView& pod = *ending.pod;
  const auto inconclusive = [&](Reason reason, const std::string& what) {
    std::string message = what + OnNode(ending) + AfterSteps(ending);
    if (!pod.message.empty()) message += ": " + pod.message;
    return Outcome{Verdict::kInconclusive, reason, message};
  };
  if (pod.reason == "Evicted") return inconclusive(Reason::kEvicted, "the pod was evicted");
  if (pod.reason == "NodeLost") return inconclusive(Reason::kNodeLost, "the node was lost");
  if (pod.reason == "UnexpectedAdmissionError" || pod.reason == "TopologyAffinityError" ||
      pod.reason == "NodeAffinity" || pod.reason.rfind("OutOf", 0) == 0) {
    return inconclusive(Reason::kAdmissionError, "the node refused the pod (" + pod.reason + ")");
  }
  if (pod.disruption == "DeletionByTaintManager" || pod.disruption == "DeletionByPodGC") {
    return inconclusive(Reason::kNodeLost,
                        "the pod's node became unusable (" + pod.disruption + ")");
  }
  if (!pod.disruption.empty()) {
    return inconclusive(Reason::kEvicted, "the pod was disrupted (" + pod.disruption + ")");
  }
  return std::nullopt;
}

Outcome JudgeDeleted(const Ending& ending) {
  const std::string name = ending.pod == nullptr ? "the pod" : "pod " + ending.pod->name;
  return {Verdict::kInconclusive, Reason::kPodDeleted,
          name + " was deleted by somebody" + OnNode(ending) + AfterSteps(ending) +
              "; apply the test again under a new name"};
}

Outcome JudgeOutOfMemory(const Ending& ending) {
  const bool measuring = Measuring(ending);
  std::string message = "the runner was killed for memory" + OnNode(ending);
  if (!ending.memory_limit.empty()) message += " (limit " + ending.memory_limit + ")";
  message += measuring ? AfterSteps(ending) : " before measuring began";
  message += "; raise resources.memory or make the model smaller";
  return {measuring ? Verdict::kFailed : Verdict::kError, Reason::kOOMKilled, message};
}

Outcome JudgeCrash(const Ending& ending) {
  const ContainerView& runner = ending.pod->runner;
  const bool measuring = Measuring(ending);
  std::string message = "the runner ended with exit code " + std::to_string(runner.exit_code) +
                        OnNode(ending) +
                        (measuring ? AfterSteps(ending) : " before measuring began");
  // Without a message file Kubernetes hands over the log's tail: its last line often names the
  // cause.
  if (!ending.result.result && !runner.message.empty()) {
    std::string tail = runner.message;
    while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.pop_back();
    message += ": " + tail.substr(tail.rfind('\n') + 1);
  }
  return {measuring ? Verdict::kFailed : Verdict::kError, Reason::kRunnerCrashed, message};
}

Outcome Contradiction(const std::string& what) {
  return {Verdict::kInconclusive, Reason::kResultContradictory, what};
}

/// What the message claims must fit who it was asked of, how the process ended, and itself.
std::optional<Outcome> FindContradiction(const Ending& ending, const Core& core) {
  const ContainerView& runner = ending.pod->runner;
  // A runner that cannot even read what it was sent has no name to answer in.
  const bool lost = core.uid.empty() && core.outcome->reason == Reason::kInvalidSpec;
  if (lost && runner.exit_code == contract::kExitUsage) return std::nullopt;
  if (core.uid != ending.test_uid || core.attempt != ending.attempt) {
    return Contradiction("the result belongs to another test or attempt (uid " + core.uid +
                         ", attempt " + std::to_string(core.attempt) + ")");
  }
  const Outcome& outcome = *core.outcome;
  if (!contract::Fits(outcome.verdict, outcome.reason)) {
    return Contradiction("the result says " + std::string(ToString(outcome.verdict)) + " for " +
                         std::string(ToString(outcome.reason)) + ", which do not go together");
  }
  const int expected = contract::ExitCodeOf(outcome.verdict, outcome.reason);
  // A run that was told to stop exits with 3, whatever word it has for that.
  const bool stopped = core.partial && outcome.verdict == Verdict::kInconclusive &&
                       runner.exit_code == contract::kExitInconclusive;
  if (core.partial && outcome.verdict == Verdict::kPassed) {
    return Contradiction("the result says Passed for a run that was not finished");
  }
  if (runner.exit_code != core.exit || (runner.exit_code != expected && !stopped)) {
    return Contradiction("the result says " + std::string(ToString(outcome.verdict)) +
                         " (exit code " + std::to_string(expected) +
                         "), but the runner ended with exit code " +
                         std::to_string(runner.exit_code));
  }
  return std::nullopt;
}

/// Every gate that was asked for must stand in the result, met; and none may have failed.
std::optional<Outcome> FindGateProblem(const Ending& ending) {
  const auto& gates = ending.result.result->gates;
  const auto failed = std::find_if(gates.begin(), gates.end(), [](const contract::Gate& gate) {
    return gate.result == contract::GateResult::kFailed;
  });
  if (failed != gates.end()) {
    return Contradiction("the result says Passed, but gate " + failed->name + " failed");
  }
  for (const std::string& name : ending.required) {
    const bool met = std::any_of(gates.begin(), gates.end(), [&](const contract::Gate& gate) {
      return gate.user && gate.name == name && gate.result == contract::GateResult::kPassed;
    });
    if (met) continue;
    return Outcome{Verdict::kInconclusive, Reason::kResultTruncated,
                   "the result says Passed, but gate " + name + " is not in it"};
  }
  return std::nullopt;
}

Outcome JudgeFinal(const Ending& ending, const Core& core) {
  if (auto contradiction = FindContradiction(ending, core)) return *contradiction;
  if (core.outcome->verdict != Verdict::kPassed) return *core.outcome;
  if (ending.result.damaged) {
    return {Verdict::kInconclusive, Reason::kResultTruncated,
            "the result was cut or damaged on its way: " + ending.result.problem};
  }
  if (auto problem = FindGateProblem(ending)) return *problem;
  return *core.outcome;
}

}  // namespace

Outcome Judge(const Ending& ending) {
  if (auto stopped = JudgeStopped(ending)) return *stopped;
  if (ending.pod == nullptr) return JudgeDeleted(ending);
  const PodView& pod = *ending.pod;
  const Core* core = CoreOf(ending);
  const bool ended = pod.runner.kind == ContainerView::Kind::kTerminated;
  const bool complete = ended && SpeaksForItself(ending);

  if (ended && pod.runner.reason == "OOMKilled") return JudgeOutOfMemory(ending);
  // A whole result stands, even if the pod was disturbed after the runner had finished; and so does
  // a failure that was found before it was stopped.
  if (complete) return JudgeFinal(ending, *core);
  if (auto disrupted = JudgeDisrupted(ending)) return *disrupted;
  if (!pod.Over()) {  // deleted long ago, and still nobody says that it ended
    return {Verdict::kInconclusive, Reason::kNodeLost,
            "pod " + pod.name + OnNode(ending) + " never ended after it was deleted: the node no " +
                "longer answers"};
  }
  if (pod.deleting || pod.gone) return JudgeDeleted(ending);
  if (!ended) {
    return {Verdict::kInconclusive, Reason::kResultMissing,
            "the pod ended" + OnNode(ending) + " without the runner's exit code: " + pod.message};
  }
  if (core != nullptr && core->state == ResultState::kFinal && core->outcome) {
    return JudgeFinal(ending, *core);  // partial: SIGTERM from outside Kubernetes
  }
  if (pod.runner.exit_code == 0) {
    const bool damaged = ending.result.damaged && core == nullptr && !pod.runner.message.empty();
    return {Verdict::kInconclusive, damaged ? Reason::kResultTruncated : Reason::kResultMissing,
            "the runner ended with exit code 0" + OnNode(ending) +
                (damaged ? ", but its result is damaged: " + ending.result.problem
                         : " without a final result")};
  }
  if (pod.runner.reason == "ContainerStatusUnknown" ||
      (pod.runner.reason == "Unknown" && pod.runner.exit_code == kLostContainer)) {
    return {Verdict::kInconclusive, Reason::kNodeLost,
            "the node lost the container" + OnNode(ending)};
  }
  return JudgeCrash(ending);
}

}  // namespace torchsoak::stresstest
