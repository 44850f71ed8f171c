#pragma once
// What is written into memory to see whether it comes back.
//
// Zeros and ones find bits that are stuck, the alternating ones neighbours that leak into each
// other, a word's own address finds two addresses that mean the same cell, random words whatever
// depends on the data. Pure.

#include <array>
#include <cstdint>
#include <string_view>

namespace torchsoak::runner {

enum class Pattern : std::uint8_t { kZeros, kOnes, kAlternating, kInverse, kAddress, kRandom };
inline constexpr std::size_t kPatterns = 6;

/// "00", "FF", "AA", "55", "address", "random".
std::string_view ToString(Pattern pattern);

/// A pattern, and what makes its words differ from those of the time before.
struct Content {
  Pattern pattern = Pattern::kZeros;
  std::uint64_t salt = 0;  ///< of kAddress and kRandom; the others are the same every time

  /// What is written in pass `pass`, counted from 0: the patterns in turn, and from their first
  /// words on another salt each time round.
  static Content Of(std::int64_t pass, std::uint64_t seed);
};

/// The one word of a pattern that has no other; meaningless for kAddress and kRandom.
std::uint64_t ConstantWord(Pattern pattern);
bool IsConstant(Pattern pattern);

// Random words are `index` times an odd number, whose high bits are then folded into the low ones,
// twice: what an accelerator does fast with whole numbers of 64 bits that wrap around.
inline constexpr std::uint64_t kFirstFactor = 0xBF58476D1CE4E5B9U;
inline constexpr std::uint64_t kSecondFactor = 0x94D049BB133111EBU;
inline constexpr int kFirstShift = 30;
inline constexpr int kSecondShift = 27;

/// The word at `index` of a region, in words of 8 bytes.
std::uint64_t WordAt(const Content& content, std::int64_t index);

}  // namespace torchsoak::runner
