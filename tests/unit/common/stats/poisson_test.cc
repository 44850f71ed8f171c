#include "common/stats/poisson.h"

#include <gtest/gtest.h>

namespace torchsoak::stats {
namespace {

// Half of the chi-square quantile with 2k + 2 degrees of freedom, from tables.
TEST(PoissonUpper, TheTabulatedValues) {
  EXPECT_NEAR(PoissonUpper(0), 2.9957, 1e-4);
  EXPECT_NEAR(PoissonUpper(1), 4.7439, 1e-4);
  EXPECT_NEAR(PoissonUpper(2), 6.2958, 1e-4);
  EXPECT_NEAR(PoissonUpper(10), 16.9622, 1e-4);
  EXPECT_NEAR(PoissonUpper(49), 62.1711, 1e-3);
  EXPECT_NEAR(PoissonUpper(0, 0.99), 4.6052, 1e-4);
}

TEST(PoissonUpper, ManyEventsAreBoundedMoreTightly) {
  EXPECT_NEAR(PoissonUpper(1'000'000) / 1e6, 1 + 1.645e-3, 1e-5);
}

}  // namespace
}  // namespace torchsoak::stats
