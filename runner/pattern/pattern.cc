#include "runner/pattern/pattern.h"

namespace torchsoak::runner {
namespace {

constexpr std::array<std::string_view, kPatterns> kNames = {"00", "FF",      "AA",
                                                            "55", "address", "random"};
constexpr std::array<std::uint64_t, kPatterns> kWords = {
    0, ~std::uint64_t{0}, 0xAAAAAAAAAAAAAAAAU, 0x5555555555555555U, 0, 0};
/// 2⁶⁴ divided by the golden ratio: multiples of it are far from each other.
constexpr std::uint64_t kStride = 0x9E3779B97F4A7C15U;

std::size_t At(Pattern pattern) { return static_cast<std::size_t>(pattern); }

}  // namespace

std::string_view ToString(Pattern pattern) { return kNames.at(At(pattern)); }

Content Content::Of(std::int64_t pass, std::uint64_t seed) {
  const auto number = static_cast<std::uint64_t>(pass);
  const std::uint64_t round = number / kPatterns;
  const auto pattern = static_cast<Pattern>(number % kPatterns);
  // The first addresses are plain ones, which are easy to recognise in a memory dump.
  return {pattern, (pattern == Pattern::kRandom ? seed + round + 1 : round) * kStride};
}

bool IsConstant(Pattern pattern) {
  return pattern != Pattern::kAddress && pattern != Pattern::kRandom;
}

std::uint64_t ConstantWord(Pattern pattern) { return kWords.at(At(pattern)); }

std::uint64_t WordAt(const Content& content, std::int64_t index) {
  if (IsConstant(content.pattern)) return ConstantWord(content.pattern);
  std::uint64_t word = static_cast<std::uint64_t>(index) ^ content.salt;
  if (content.pattern == Pattern::kAddress) return word;
  word = (word ^ (word >> kFirstShift)) * kFirstFactor;
  word = (word ^ (word >> kSecondShift)) * kSecondFactor;
  return word;
}

}  // namespace torchsoak::runner
