#include <chrono>
#include <memory>

#include "runner/canary/kinds.h"
#include "runner/report/leaks.h"

namespace torchsoak::runner {
namespace {

/// The detector needs 20 steps that agree, after one to compare with.
constexpr int kSteps = 40;
constexpr std::int64_t kBytes = 4;

}  // namespace

Canary ShowLeakedBlocks(const CanaryParts& parts) {
  const std::string detail = "a block of 4 bytes more after each of 40 steps";
  Measurements measured(parts.spec.mode);
  std::vector<std::shared_ptr<void>> held;
  for (int i = 0; i < kSteps; ++i) {
    auto block = parts.backend.Hold(parts.device, kBytes);
    if (!block) return Skipped("ExactLeak", block.error().message);
    held.push_back(std::move(*block));
    MeasuredStep step;
    step.at = std::chrono::milliseconds(i + 1);
    step.memory = parts.device.Memory();
    measured.Add(step);
  }
  const auto findings = FindLeaks(measured);
  const bool seen = LeakGates(findings).front().result == contract::GateResult::kFailed &&
                    findings.front().leak.bytes_per_step >= kBytes;
  return seen ? Proven("ExactLeak", detail) : Dead("ExactLeak", detail);
}

}  // namespace torchsoak::runner
