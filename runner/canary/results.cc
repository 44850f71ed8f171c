#include "runner/canary/kinds.h"
#include "runner/report/mode_gates.h"

namespace torchsoak::runner {

std::vector<Canary> ShowWrongResults(const CanaryParts& parts) {
  if (parts.workload == nullptr || !ChecksResults(parts.spec.mode)) return {};
  const auto proofs = parts.workload->ProveChecks();
  if (!proofs) return {Skipped("WrongResult", proofs.error().message)};
  Checks found;
  found.results = 1000;
  found.wrong = 1;
  const bool gate = WrongResultGate(found).result == contract::GateResult::kFailed;
  std::vector<Canary> canaries;
  for (const Workload::Proof& proof : *proofs) {
    canaries.push_back(proof.seen && gate ? Proven(proof.check, proof.shown)
                                          : Dead(proof.check, proof.shown));
  }
  return canaries;
}

}  // namespace torchsoak::runner
