#include "common/stats/poisson.h"

#include <algorithm>
#include <cmath>

namespace torchsoak::stats {
namespace {

/// log P(X <= k) for a Poisson variable of that mean, summed from the largest term down.
double LogAtMost(std::int64_t k, double mean) {
  const double largest =
      static_cast<double>(k) * std::log(mean) - mean - std::lgamma(static_cast<double>(k) + 1);
  double sum = 0;
  double term = 1;
  for (std::int64_t i = k; i >= 0 && term > 1e-18; --i) {
    sum += term;
    term *= static_cast<double>(i) / mean;
  }
  return largest + std::log(sum);
}

}  // namespace

double PoissonUpper(std::int64_t events, double confidence) {
  const auto k = static_cast<double>(events);
  const double wanted = std::log1p(-confidence);
  // Above k the terms fall from k down, as LogAtMost needs it.
  double low = std::max(k, 1e-9);
  double high = k + 10 * std::sqrt(k + 1) + 40;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (LogAtMost(events, middle) > wanted ? low : high) = middle;
  }
  return high;
}

}  // namespace torchsoak::stats
