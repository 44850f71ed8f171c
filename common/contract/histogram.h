#pragma once
// A latency histogram in HdrHistogram's layout: unit 1 ns, three significant digits, up to 1 h.
//
// Relative error ≤ 0.1 %. Values above the range are clamped and counted; nothing is dropped.
// Exact count, minimum, maximum, sum and sum of squares are kept beside it. Not thread-safe: one
// per thread, merged by addition. About 270 KiB.
// Layout: b = 64 − clz(v | 2047) − 11, s = v >> b, index = b·1024 + s.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::contract {

class Histogram {
 public:
  Histogram();

  void Record(std::int64_t nanoseconds);
  void Merge(const Histogram& other);

  std::int64_t count() const { return count_; }
  std::int64_t clamped() const { return clamped_; }  ///< values over the range
  std::int64_t min() const { return min_; }          ///< 0 when empty
  std::int64_t max() const { return max_; }
  double Mean() const;    ///< ns; 0 when empty
  double StdDev() const;  ///< ns, population; 0 when empty

  /// The value at or below which `quantile` (0..1) of the samples lie, in ns: the highest value of
  /// its bucket, never above max(). 0 when empty.
  std::int64_t ValueAt(double quantile) const;

  /// (highest value of bucket, count) for every bucket in use, rising.
  std::vector<std::pair<std::int64_t, std::int64_t>> Buckets() const;

  /// Text for the termination message: buckets merged to ≤ 1.6 % width, delta coded, deflated,
  /// base64. Unpacking gives the same count, min, max and sum.
  std::string Pack() const;
  static Expected<Histogram> Unpack(std::string_view text);

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
  std::int64_t clamped_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

/// How many samples a percentile needs before it may be claimed: the number at which, with no
/// sample above the bound, the quantile is proved with 99 % confidence (459 for P99, 4603 for
/// P99.9). Source: MLPerf LoadGen's early stopping: the smallest n with quantile^n ≤ 0.01.
std::int64_t SamplesNeeded(double quantile);

}  // namespace torchsoak::contract
