#pragma once
// Where a sequence of evenly spaced values changed its level.
//
// Pettitt's test on ranks finds one place; binary segmentation finds several. Values that depend on
// their neighbours make the test see changes that are none (86 % false at an autocorrelation of
// 0.9), so what decides is the size of the change; the test only says where to look. Pure; values
// must be finite.

#include <cstddef>
#include <span>
#include <vector>

namespace torchsoak::stats {

/// Pettitt (Applied Statistics 28, 1979).
struct Pettitt {
  double k = 0;        ///< largest |U|
  double p = 1;        ///< 2·exp(−6k² / (n³ + n²)), at most 1
  std::size_t at = 0;  ///< the second part begins here; 0: no values
};
Pettitt TestChange(std::span<const double> values);

/// What makes a change worth a name.
struct ChangeLimits {
  double p = 0.01;
  double effect = 0.03;          ///< |ratio of the medians − 1|
  std::size_t least_side = 5;    ///< values on each side
  std::size_t least_whole = 20;  ///< shorter stretches are not split
};

struct Change {
  std::size_t at = 0;  ///< index of the first value of the new level
  double before = 0;   ///< median of the stretch before it
  double after = 0;    ///< and of the one that begins with it
};

/// Changes in order. Values must be positive for the ratio to make sense; a stretch whose median is
/// not is never taken for changed.
std::vector<Change> FindChanges(std::span<const double> values, const ChangeLimits& limits = {});

}  // namespace torchsoak::stats
