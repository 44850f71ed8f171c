#pragma once
// Did the throughput hold?
//
// Windows of at least 5 s, at most 120 of them; the first tenth is left out as warm-up. A loss is a
// change of level (common/stats/change_point.h), or a slope that is no chance (Mann and Kendall, p
// below 0.01, with its 95 % interval below zero), that costs at least 3 %. Effects that are smaller
// are noise more often than not, whatever a test says: see the figures in change_point.h.
//
// Pure: the report carries the windows.

#include <span>
#include <vector>

namespace torchsoak::runner {

struct DriftLimits {
  double effect = 0.03;  ///< a loss of a smaller share is none
  double chance = 0.01;
};

struct Drift {
  enum class Result { kNotEnoughData, kSteady, kSlower };
  Result result = Result::kNotEnoughData;
  int windows = 0;
  double per_hour = 0;  ///< slope as a share of the median rate; below 0: slower
  double low = 0;       ///< its 95 % interval
  double high = 0;
  double p = 1;     ///< one-sided, for a fall
  double lost = 0;  ///< largest share by which a level is below one before it, or the slope's
  struct Step {
    double at = 0;  ///< seconds since measuring began
    double before = 0;
    double after = 0;  ///< median rates on both sides
  };
  std::vector<Step> steps;  ///< changes of level, up ones too, in order
};

/// What was done in one stretch of time; stretches follow each other.
struct Work {
  double start = 0;  ///< seconds since measuring began
  double end = 0;
  double amount = 0;
};

/// At least 20 windows are needed, about 2 minutes.
Drift FindDrift(std::span<const Work> work, const DriftLimits& limits = {});

}  // namespace torchsoak::runner
