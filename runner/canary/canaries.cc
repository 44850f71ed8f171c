#include "runner/canary/canaries.h"

#include <algorithm>

#include "runner/canary/kinds.h"

namespace torchsoak::runner {

using contract::Gate;
using contract::GateResult;

std::vector<Canary> RunCanaries(const CanaryParts& parts) {
  std::vector<Canary> canaries;
  const auto add = [&](Canary canary) {
    canaries.push_back(std::move(canary));
    if (parts.beat) parts.beat();
  };
  add(ShowLeakedBlocks(parts));
  add(ShowGrowingProcess(parts));
  for (Canary& canary : ShowWrongNumbers(parts.spec)) add(std::move(canary));
  for (Canary& canary : ShowWrongResults(parts)) add(std::move(canary));
  add(ShowStall(parts.spec));
  return canaries;
}

Gate CanaryGate(const std::vector<Canary>& canaries) {
  const auto count = [&](Canary::State state) {
    return std::ranges::count(canaries, state, &Canary::state);
  };
  Gate gate{"Canaries", GateResult::kPassed, false, "", "", ""};
  gate.observed = std::to_string(count(Canary::State::kProven)) + " of " +
                  std::to_string(canaries.size()) + " proven";
  const auto dead = std::ranges::find(canaries, Canary::State::kDead, &Canary::state);
  if (dead == canaries.end()) return gate;
  gate.result = GateResult::kFailed;
  gate.message = "the detector " + dead->detector + " did not see the fault that it was shown (" +
                 dead->detail + "), so that its silence proves nothing; report this as a bug";
  return gate;
}

}  // namespace torchsoak::runner
