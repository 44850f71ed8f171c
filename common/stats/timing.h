#pragma once
// What block times of a benchmark say together, as torch.utils.benchmark's Measurement has it.
//
// Pure; times are finite and positive, in any unit but for the last function's.

#include <span>

namespace torchsoak::stats {

/// The value at share `q` (0 to 1) of `sorted`, between neighbours by a straight line, as
/// torch.quantile does; 0 for none.
double QuantileOfSorted(std::span<const double> sorted, double q);

struct Timing {
  double median = 0;
  double std_dev = 0;  ///< of the sample: n - 1; 0 below two
  double p25 = 0;
  double p75 = 0;
  double iqr = 0;  ///< p75 - p25

  /// IQR over median: what the blocks differ by; 0 for none.
  double Spread() const { return median > 0 ? iqr / median : 0; }
};

/// `sorted` rises.
Timing TimingOf(std::span<const double> sorted);

/// Digits of the median, in seconds, that a repetition would find again: 1 to 4. From the points
/// between the quartiles, whose 90 % confidence interval (1.645 standard errors, never below the
/// clock's 25 ns) is compared with the median. 1 for none.
int SignificantFigures(std::span<const double> sorted_seconds);

}  // namespace torchsoak::stats
