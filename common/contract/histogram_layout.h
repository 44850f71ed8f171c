#pragma once
// HdrHistogram's bucket layout, for the two resolutions that are used. Private to histogram*.cc.

#include <bit>
#include <cstddef>
#include <cstdint>

namespace torchsoak::contract {

inline constexpr std::int64_t kMaxLatency = 3'600'000'000'000;  ///< 1 h in ns: the range

/// Values of up to `Bits` bits have a bucket of their own; above, each doubling has 2^(Bits-1).
/// Buckets of a layout with fewer bits are unions of those of one with more.
template <int Bits>
struct BucketLayout {
  static constexpr std::uint64_t kLinear = (std::uint64_t{1} << Bits) - 1;
  static constexpr std::size_t kSteps = std::size_t{1} << (Bits - 1);

  static constexpr std::size_t IndexOf(std::int64_t value) {
    const int shift =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value) | kLinear)) - Bits;
    return static_cast<std::size_t>(shift) * kSteps + static_cast<std::size_t>(value >> shift);
  }

  /// The highest value that IndexOf puts there.
  static constexpr std::int64_t HighestOf(std::size_t index) {
    const std::size_t shift = index <= kLinear ? 0 : index / kSteps - 1;
    return (static_cast<std::int64_t>(index - shift * kSteps + 1) << shift) - 1;
  }
};

}  // namespace torchsoak::contract
