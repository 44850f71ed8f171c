#include "common/contract/result.h"

#include <algorithm>
#include <array>

namespace torchsoak::contract {
namespace {

constexpr std::array<std::string_view, 5> kGateResults = {"Passed", "Failed", "Warned",
                                                          "NotEvaluated", "Recorded"};
constexpr std::array<std::string_view, 4> kLeakResults = {"None", "Suspected", "Found",
                                                          "NotEnoughData"};

template <typename E, std::size_t N>
std::optional<E> Parse(std::string_view text, const std::array<std::string_view, N>& names) {
  const auto* it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) return std::nullopt;
  return static_cast<E>(it - names.begin());
}

}  // namespace

std::string_view ToString(GateResult result) {
  return kGateResults.at(static_cast<std::size_t>(result));
}

std::optional<GateResult> ParseGateResult(std::string_view text) {
  return Parse<GateResult>(text, kGateResults);
}

std::string_view ToString(LeakResult result) {
  return kLeakResults.at(static_cast<std::size_t>(result));
}

std::optional<LeakResult> ParseLeakResult(std::string_view text) {
  return Parse<LeakResult>(text, kLeakResults);
}

}  // namespace torchsoak::contract
