#pragma once
// The parts of a step, by which what it leaves behind is told apart.

#include <array>
#include <cstdint>
#include <string_view>

namespace torchsoak::runner {

enum class StepPart : std::uint8_t { kOther, kData, kForward, kBackward, kOptimizer };
inline constexpr std::size_t kStepParts = 5;

/// Live allocations by the part in which they were made; all 0 where that is not known.
using Birthplaces = std::array<std::int64_t, kStepParts>;

constexpr std::string_view ToString(StepPart part) {
  constexpr std::array<std::string_view, kStepParts> kNames = {"other", "data", "forward",
                                                               "backward", "optimizer"};
  return kNames.at(static_cast<std::size_t>(part));
}

}  // namespace torchsoak::runner
