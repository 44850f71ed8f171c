#include "common/stats/change_point.h"

#include <algorithm>
#include <cmath>

#include "common/stats/trend.h"

namespace torchsoak::stats {
namespace {

/// Places where the test sees a change, in order.
void Split(std::span<const double> values, std::size_t offset, const ChangeLimits& limits,
           std::vector<std::size_t>& places) {
  if (values.size() < limits.least_whole) return;
  const Pettitt test = TestChange(values);
  if (test.p >= limits.p || test.at == 0 || test.at >= values.size()) return;
  Split(values.first(test.at), offset, limits, places);
  places.push_back(offset + test.at);
  Split(values.subspan(test.at), offset + test.at, limits, places);
}

/// How much of a change the place is; 0 where a side is too short or its median is not positive.
double Effect(std::span<const double> before, std::span<const double> after,
              const ChangeLimits& limits) {
  if (std::min(before.size(), after.size()) < limits.least_side) return 0;
  const double old_level = Median(before);
  const double new_level = Median(after);
  if (old_level <= 0 || new_level <= 0) return 0;
  return std::abs(new_level / old_level - 1);
}

}  // namespace

Pettitt TestChange(std::span<const double> values) {
  Pettitt test;
  const auto n = static_cast<double>(values.size());
  double u = 0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    // U moves by the sign sums of value t against all others (the same as by its rank).
    for (const double other : values) {
      u += static_cast<double>((values[t] > other) - (values[t] < other));
    }
    if (std::abs(u) > test.k) {
      test.k = std::abs(u);
      test.at = t + 1;
    }
  }
  if (n > 0) test.p = std::min(1.0, 2 * std::exp(-6 * test.k * test.k / (n * n * n + n * n)));
  return test;
}

std::vector<Change> FindChanges(std::span<const double> values, const ChangeLimits& limits) {
  std::vector<std::size_t> places;
  Split(values, 0, limits, places);
  // The weakest goes first, since what it parted becomes one stretch against which its neighbours
  // are measured anew.
  while (true) {
    std::vector<std::size_t> edges = {0};
    edges.insert(edges.end(), places.begin(), places.end());
    edges.push_back(values.size());
    const auto stretch = [&](std::size_t i) {
      return values.subspan(edges[i], edges[i + 1] - edges[i]);
    };
    std::vector<double> effects;
    for (std::size_t i = 0; i < places.size(); ++i) {
      effects.push_back(Effect(stretch(i), stretch(i + 1), limits));
    }
    const auto weakest = std::ranges::min_element(effects);
    if (weakest == effects.end() || *weakest >= limits.effect) {
      std::vector<Change> changes;
      for (std::size_t i = 0; i < places.size(); ++i) {
        changes.push_back({places[i], Median(stretch(i)), Median(stretch(i + 1))});
      }
      return changes;
    }
    places.erase(places.begin() + (weakest - effects.begin()));
  }
}

}  // namespace torchsoak::stats
