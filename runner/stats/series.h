#pragma once
// A curve of any length in bounded memory: buckets of consecutive values, each with its minimum,
// median and maximum. When the buckets run out, neighbours are joined and each holds twice as many.
//
// A median is of the up to 16 evenly picked values that a bucket keeps, so it is exact for buckets
// of up to 16 values. Minimum and maximum are always exact. Not thread-safe; a copy is about
// 100 KiB when full. Values that are not finite are left out and counted.

#include <cstdint>
#include <vector>

#include "common/base/json.h"

namespace torchsoak::runner {

class Series {
 public:
  explicit Series(std::size_t max_points = 512);

  /// `x` is what the curve is drawn over (a step, a second) and must not fall.
  void Add(double x, double y);

  struct Point {
    double x = 0;  ///< of the bucket's last value
    std::int64_t count = 0;
    double min = 0;
    double median = 0;
    double max = 0;
  };
  /// At most max_points, in order.
  std::vector<Point> Points() const;

  std::int64_t count() const { return count_; }
  std::int64_t left_out() const { return left_out_; }  ///< not finite
  double min() const { return min_; }                  ///< 0 when empty; likewise the next two
  double max() const { return max_; }
  double last() const { return last_; }

  /// {"samples","perPoint","x":[…],"min":[…],"median":[…],"max":[…]}, or {"samples","x","value"}
  /// while each bucket has one value. Every point but the last holds perPoint samples.
  /// `max_points` joins further for a smaller document.
  Json ToJson(std::size_t max_points) const;

 private:
  struct Bucket {
    Point point;
    std::vector<double> kept;
  };
  void JoinNeighbours();

  std::size_t max_points_;
  std::int64_t per_bucket_ = 1;  ///< a power of two
  std::vector<Bucket> buckets_;
  std::int64_t count_ = 0;
  std::int64_t left_out_ = 0;
  double min_ = 0;
  double max_ = 0;
  double last_ = 0;
};

}  // namespace torchsoak::runner
