#pragma once
// Is a sequence of evenly spaced values rising, how fast, and in how many steps?
//
// Pure functions over values that must be finite. Ranks and medians only: the size of an outlier
// does not matter. Any number of values, none included; time grows with its square, so meant for
// some hundred at most.

#include <cstdint>
#include <span>

namespace torchsoak::stats {

/// The middle value, or the mean of the middle two; 0 for none.
double Median(std::span<const double> values);

/// Theil and Sen: the median of the slopes between all pairs, in units per index.
double TheilSenSlope(std::span<const double> values);

/// Mann and Kendall's test for a rise, with Hamed and Rao's correction for values that depend on
/// their neighbours (J. Hydrology 204, 1998).
struct RiseTest {
  double s = 0;           ///< pairs that rise less pairs that fall
  double variance = 0;    ///< of s, corrected
  double correction = 1;  ///< factor on the variance, never below 1
  double z = 0;           ///< of the standard normal distribution
  double p = 1;           ///< one-sided: as much rise or more by chance
};
RiseTest TestRise(std::span<const double> values);

/// The slope with its 95 % interval (Sen 1968: the sorted slopes at the ranks that `variance`, of
/// TestRise, gives).
struct SlopeInterval {
  double slope = 0;
  double low = 0;
  double high = 0;
};
SlopeInterval TheilSen(std::span<const double> values, double variance);

/// How many equal steps would spread the same growth as evenly: (Σd)² / Σd² over the increases d of
/// the suffix minimum, which is what growth remains. Ten equal steps give 10, one step gives 1,
/// none gives 0. It tells a leak, which goes on, from a cache that was filled once.
double GrowthSteps(std::span<const double> values);

}  // namespace torchsoak::stats
