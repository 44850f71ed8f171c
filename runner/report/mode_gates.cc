#include "runner/report/mode_gates.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/base/units.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::Mode;
using contract::Spec;

bool Asks(const Spec& spec, contract::Check check) {
  return std::ranges::find(spec.training.checks, check) != spec.training.checks.end();
}

/// Not asked for, it still says what it saw: a warning, no failure.
Gate FiniteLossGate(const Measurements* measured, bool asked) {
  Gate gate{"FiniteLoss", GateResult::kNotEvaluated, false, "", "", ""};
  if (measured == nullptr || measured->steps() == 0) {
    gate.message = "no step was measured";
  } else if (const auto step = measured->non_finite_step()) {
    gate.result = asked ? GateResult::kFailed : GateResult::kWarned;
    gate.observed = "step " + std::to_string(*step);
    gate.message = "the loss is NaN or infinite at step " + std::to_string(*step);
  } else {
    gate.result = GateResult::kPassed;
  }
  return gate;
}

Gate LossDecreasesGate(const Measurements* measured) {
  Gate gate{"LossDecreases", GateResult::kNotEvaluated, true, "", "", ""};
  const auto trend = measured != nullptr ? measured->Trend() : std::nullopt;
  if (const auto step = measured != nullptr ? measured->non_finite_step() : std::nullopt) {
    gate.result = GateResult::kFailed;
    gate.observed = "NaN or infinite";
    gate.limit = "half of its start";
    gate.message = "the loss became NaN or infinite at step " + std::to_string(*step);
    return gate;
  }
  if (!trend) {
    gate.message = "needs at least " + std::to_string(Measurements::kLossSteps) +
                   " steps, there were " +
                   std::to_string(measured != nullptr ? measured->losses() : 0);
    return gate;
  }
  const double limit = trend->start / 2;
  gate.observed = FormatValue(trend->end, Unit::kNone);
  gate.limit = "<= " + FormatValue(limit, Unit::kNone);
  gate.result = trend->end <= limit ? GateResult::kPassed : GateResult::kFailed;
  if (gate.result == GateResult::kFailed) {
    gate.message = "the loss went from " + FormatValue(trend->start, Unit::kNone) + " to " +
                   gate.observed + " and did not fall to half of its start";
  }
  return gate;
}

/// Loss scaling halves its scale at each overflow: from 65536 it is at 1 after 16. Whoever still
/// overflows has gradients that FP16 cannot hold, and trains nothing while the loss looks healthy.
constexpr std::int64_t kMostSkippedInRow = 20;

Gate FiniteGradientsGate(const Measurements::SkippedUpdates& updates) {
  Gate gate{"FiniteGradients", GateResult::kPassed, false, "", "", ""};
  const std::string count =
      std::to_string(updates.skipped) + " of " + std::to_string(updates.possible);
  gate.observed = count + " skipped";
  if (updates.longest >= kMostSkippedInRow) {
    gate.result = GateResult::kFailed;
    gate.message = count + " optimizer steps were skipped, " + std::to_string(updates.longest) +
                   " in a row: the FP16 gradients overflow at any loss scale";
  } else if (updates.skipped == updates.possible) {
    gate.result = GateResult::kNotEvaluated;
    gate.user = true;  // who asks for FP16 training asks that it trains: without that no Pass
    gate.message = count + " optimizer steps were skipped while loss scaling sought its scale: " +
                   "measure more steps, or warm up first";
  }
  return gate;
}

/// A request that was not answered is a fault, unless the user set a bound on the error rate. A run
/// in which none was answered is no evidence of anything good, whatever was asked.
Gate AnswersGate(const Measurements& measured, const Spec& spec) {
  Gate gate{"Answers", GateResult::kPassed, false, "", "", ""};
  if (measured.errors() == 0) return gate;
  const bool bounded = std::ranges::any_of(spec.thresholds, [](const contract::Threshold& one) {
    return one.metric.ends_with(".errorRate") && one.max;
  });
  const bool all = measured.errors() == measured.steps();
  gate.result = all || !bounded ? GateResult::kFailed : GateResult::kWarned;
  gate.message = std::to_string(measured.errors()) + " of " + std::to_string(measured.steps()) +
                 " requests failed: " + Shorten(measured.last_error(), 100);
  return gate;
}

}  // namespace

bool ChecksResults(Mode mode) { return mode == Mode::kGemm || mode == Mode::kMemory; }

Gate WrongResultGate(const Checks& checks) {
  Gate gate{"WrongResult", GateResult::kPassed, false, "", "", ""};
  gate.observed = std::to_string(checks.wrong) + " of " + std::to_string(checks.results) + " wrong";
  if (checks.wrong > 0) {
    gate.result = GateResult::kFailed;
    gate.message = checks.detail;
  } else if (checks.results == 0 || checks.unchecked > 0) {
    gate.result = GateResult::kNotEvaluated;  // one device that goes unchecked is enough
    gate.user = true;  // who multiplies to check the results asks for the check
    gate.message = checks.detail.empty() ? "no result was checked" : checks.detail;
  } else if (!(checks.covered >= 1)) {
    gate.result = GateResult::kNotEvaluated;
    gate.user = true;
    gate.message = "only " + FormatValue(checks.covered, Unit::kRatio, 2) +
                   " of what there is to check was checked: measure longer, or check less";
  }
  return gate;
}

/// torch.utils.benchmark's bounds of its two warnings.
constexpr double kFluctuates = 0.1;
constexpr double kDisturbed = 0.25;

Gate TimingGate(const BlockSpread& blocks) {
  Gate gate{"Timing", GateResult::kPassed, false, "", "", ""};
  const std::string spread = FormatValue(blocks.spread, Unit::kRatio, 3);
  gate.observed = "IQR " + spread + " of the median";
  if (!blocks.settled) {
    gate.result = GateResult::kNotEvaluated;
    gate.user = true;  // who asks for blocks that agree has no answer while they do not
    gate.message = "after maxRunTime the blocks still differ by " + spread +
                   ": keep the machine free of other work, or raise maxRunTime or threshold";
  } else if (blocks.blocks < contract::kLeastBlocks) {
    gate.result = GateResult::kNotEvaluated;
    gate.message = "fewer than " + std::to_string(contract::kLeastBlocks) +
                   " blocks say nothing of the spread: measure longer";
  } else if (blocks.spread >= kFluctuates) {
    gate.result = GateResult::kWarned;
    gate.message =
        blocks.spread >= kDisturbed
            ? "the blocks differ by " + spread +
                  ": other work or changing clocks took part, measure again without"
            : "the blocks differ by " + spread + ": the median may be off by some per cent";
  }
  return gate;
}

std::vector<Gate> ModeGates(const Measurements* measured, const Spec& spec) {
  std::vector<Gate> gates;
  const bool has_losses =
      measured != nullptr && (measured->losses() > 0 || measured->non_finite_step());
  if (spec.mode == Mode::kTraining || has_losses) {
    gates.push_back(FiniteLossGate(measured, Asks(spec, contract::Check::kFiniteLoss)));
  }
  if (Asks(spec, contract::Check::kLossDecreases)) gates.push_back(LossDecreasesGate(measured));
  if (measured == nullptr || measured->steps() == 0) return gates;
  if (measured->skipped_updates().possible > 0) {
    gates.push_back(FiniteGradientsGate(measured->skipped_updates()));
  }
  if (spec.mode == Mode::kBenchmark) gates.push_back(TimingGate(measured->blocks().Spread()));
  if (ChecksResults(spec.mode)) gates.push_back(WrongResultGate(measured->checks()));
  if (spec.mode == Mode::kInference || measured->errors() > 0) {
    gates.push_back(AnswersGate(*measured, spec));
  }
  return gates;
}

}  // namespace torchsoak::runner
