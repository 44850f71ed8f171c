#pragma once

#include <cstdint>

namespace torchsoak::runner {

/// Neighbouring numbers become unlike each other: the output function of SplitMix64 (Steele, Lea
/// and Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t Spread(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace torchsoak::runner
