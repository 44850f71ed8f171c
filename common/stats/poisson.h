#pragma once
// How often something may still happen that was seen k times, or never.

#include <cstdint>

namespace torchsoak::stats {

/// The expected number of events at which k or fewer would be seen with a chance of only
/// 1 - `confidence`: the exact one-sided upper bound of a Poisson mean (Garwood, 1936; half the
/// chi-square quantile with 2k + 2 degrees of freedom). 0 events: 2.996 at 95 %.
double PoissonUpper(std::int64_t events, double confidence = 0.95);

}  // namespace torchsoak::stats
