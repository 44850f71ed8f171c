#include "runner/stats/series.h"

#include <algorithm>
#include <cmath>

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kKept = 16;

double MedianOf(std::vector<double> values) {
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + (upper - lower) / 2;
}

}  // namespace

Series::Series(std::size_t max_points) : max_points_(std::max<std::size_t>(2, max_points)) {}

void Series::Add(double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) {
    ++left_out_;
    return;
  }
  min_ = count_ == 0 ? y : std::min(min_, y);
  max_ = count_ == 0 ? y : std::max(max_, y);
  last_ = y;
  ++count_;
  if (buckets_.empty() || buckets_.back().point.count >= per_bucket_) {
    if (buckets_.size() >= max_points_) JoinNeighbours();
    if (buckets_.empty() || buckets_.back().point.count >= per_bucket_) {
      buckets_.push_back({{x, 0, y, y, y}, {}});
    }
  }
  Bucket& bucket = buckets_.back();
  const std::int64_t every = std::max<std::int64_t>(1, per_bucket_ / kKept);
  if (bucket.point.count % every == 0) bucket.kept.push_back(y);
  ++bucket.point.count;
  bucket.point.x = x;
  bucket.point.min = std::min(bucket.point.min, y);
  bucket.point.max = std::max(bucket.point.max, y);
}

void Series::JoinNeighbours() {
  per_bucket_ *= 2;
  std::vector<Bucket> joined;
  joined.reserve(buckets_.size() / 2 + 1);
  for (std::size_t i = 0; i < buckets_.size(); i += 2) {
    Bucket bucket = std::move(buckets_[i]);
    if (i + 1 < buckets_.size()) {
      const Bucket& next = buckets_[i + 1];
      bucket.point.x = next.point.x;
      bucket.point.count += next.point.count;
      bucket.point.min = std::min(bucket.point.min, next.point.min);
      bucket.point.max = std::max(bucket.point.max, next.point.max);
      bucket.kept.insert(bucket.kept.end(), next.kept.begin(), next.kept.end());
      if (bucket.kept.size() > static_cast<std::size_t>(kKept)) {
        for (std::size_t k = 0; k * 2 < bucket.kept.size(); ++k)
          bucket.kept[k] = bucket.kept[k * 2];
        bucket.kept.resize((bucket.kept.size() + 1) / 2);
      }
    }
    joined.push_back(std::move(bucket));
  }
  buckets_ = std::move(joined);
}

std::vector<Series::Point> Series::Points() const {
  std::vector<Point> points;
  points.reserve(buckets_.size());
  for (const Bucket& bucket : buckets_) {
    points.push_back(bucket.point);
    points.back().median = MedianOf(bucket.kept);
  }
  return points;
}

Json Series::ToJson(std::size_t max_points) const {
  Series copy = *this;
  while (copy.buckets_.size() > std::max<std::size_t>(2, max_points)) copy.JoinNeighbours();
  Json x = Json::array();
  Json min = Json::array();
  Json median = Json::array();
  Json max = Json::array();
  for (const Point& point : copy.Points()) {
    x.push_back(point.x);
    min.push_back(point.min);
    median.push_back(point.median);
    max.push_back(point.max);
  }
  Json json = {{"samples", count_}, {"x", std::move(x)}};
  if (left_out_ > 0) json["notFinite"] = left_out_;
  if (copy.per_bucket_ > 1) json["perPoint"] = copy.per_bucket_;
  if (copy.per_bucket_ == 1) {
    json["value"] = std::move(median);
    return json;
  }
  json["min"] = std::move(min);
  json["median"] = std::move(median);
  json["max"] = std::move(max);
  return json;
}

}  // namespace torchsoak::runner
