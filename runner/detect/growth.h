#pragma once
// Statistical leak test: does a memory curve go on rising, whatever it does in between?
//
// For what the exact test cannot count: resident memory, descriptors, the driver's view of a
// device, steps of changing shapes. The curve is cut into 24 windows of equal time; each is
// represented by its least value, which takes away the sawtooth of a healthy allocator. A leak is a
// rise that is no chance (Mann and Kendall, p below 0.01), faster than the limit, with a slope
// whose 95 % interval is above zero, spread over at least 4 steps, and that goes on: where the
// later half certainly rises less than half as fast as the whole, it came to rest. A rise in fewer
// steps, or one that came to rest, is a cache that was filled: suspected, run longer. What amounts
// to less than a heap takes to settle is none. Of 500 simulated hours each, 1 clean run, none with
// warm-up steps and 2 % of those with two cache steps were called a leak, more than 99 % of
// 32 MB/h and all of 64 MB/h were (tests/unit/runner/detect/growth_test.cc repeats this).
//
// Pure: everything it needs is in the curve, which the report carries.

#include <span>
#include <string>

#include "common/contract/result.h"
#include "runner/stats/series.h"

namespace torchsoak::runner {

struct GrowthLimits {
  double least_per_hour = 0;  ///< slower growth is none; in the curve's unit
  double least_in_all = 0;    ///< less growth in the whole curve is none
  double from = 0;            ///< seconds; what was measured before is warm-up
  double chance = 0.01;       ///< a rise that chance makes more often than this is none
};

struct Growth {
  contract::LeakResult result = contract::LeakResult::kNotEnoughData;
  double per_hour = 0;  ///< slope with its 95 % interval, in the curve's unit
  double low = 0;
  double high = 0;
  double p = 1;
  double steps = 0;    ///< how many equal steps the growth amounts to
  bool rests = false;  ///< the later half certainly grew less than half as fast
  int windows = 0;
  double from = 0;  ///< seconds; start of the first window
};

/// `curve`: x in seconds, rising. At least 12 windows of 20 samples are needed.
Growth FindGrowth(std::span<const Series::Point> curve, const GrowthLimits& limits);

/// Where the first window begins in a run of this length: 15 % of it, at least a minute.
double WarmupOf(double seconds);

}  // namespace torchsoak::runner
