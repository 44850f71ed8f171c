#pragma once
// Verdicts, reasons and exit codes: the words in which a run answers.

#include <optional>
#include <string>
#include <string_view>

namespace torchsoak::contract {

/// Ordered by strength when runs are merged: the strongest wins.
enum class Verdict {
  kPassed,        ///< ran, every gate evaluated and met
  kInconclusive,  ///< no evidence; a retry may help
  kError,         ///< cannot run until somebody changes something
  kFailed,        ///< ran, and was bad
  kAborted,       ///< spec.abort, nothing else
};

enum class Reason {
  // Passed
  kAllGatesMet,
  // Failed
  kThresholdBreached,
  kLeakFound,
  kWrongResult,
  kNonFiniteLoss,
  kRegressionFound,
  kPeerOutlier,
  kGPUFault,
  // Failed once measuring had begun, Error before
  kOOMKilled,
  kRunnerCrashed,
  // Failed
  kStalled,
  // Error
  kInvalidSpec,
  kNameConflict,
  kDeviceCountMismatch,
  kPreflightFailed,
  kImagePull,
  kStartupTimeout,
  kTargetNotReady,
  // Inconclusive
  kNodesUntested,
  kUnschedulable,
  kPodDeleted,
  kEvicted,
  kNodeLost,
  kAdmissionError,
  kRunTimeout,
  kResultMissing,
  kResultTruncated,
  kResultContradictory,
  kTooFewSamples,
  kUnstable,
  // Aborted
  kAborted,
};

std::string_view ToString(Verdict verdict);
std::string_view ToString(Reason reason);
std::optional<Verdict> ParseVerdict(std::string_view text);
std::optional<Reason> ParseReason(std::string_view text);

/// True when the pair stands in the contract's table, e.g. (Failed, Stalled).
bool Fits(Verdict verdict, Reason reason);

/// A verdict with its reason and one sentence for people, ≤ 200 characters in a run's message.
struct Outcome {
  Verdict verdict = Verdict::kInconclusive;
  Reason reason = Reason::kResultMissing;
  std::string message;
};

/// What both binaries exit with. Anything else is a crash.
enum ExitCode : int {
  kExitPassed = 0,
  kExitFailed = 1,
  kExitUsage = 2,         ///< bad spec or bad command line
  kExitInconclusive = 3,  ///< also Aborted, and SIGTERM with a partial result
  kExitError = 4,
  kExitTimeLimit = 124,  ///< the runner's own watchdog or time limit
};

/// The code that goes with an outcome (Stalled, RunTimeout and StartupTimeout,
/// which is a stall before measuring: 124; InvalidSpec: 2).
ExitCode ExitCodeOf(Verdict verdict, Reason reason);

}  // namespace torchsoak::contract
