#include "runner/pattern/pattern.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace torchsoak::runner {
namespace {

TEST(Pattern, PassesGoThroughAllOfThem) {
  std::set<Pattern> seen;
  for (std::int64_t pass = 0; pass < static_cast<std::int64_t>(kPatterns); ++pass) {
    seen.insert(Content::Of(pass, 0).pattern);
  }
  EXPECT_EQ(seen.size(), kPatterns);
}

TEST(Pattern, EveryBitIsBothZeroAndOneInAnyRound) {
  std::uint64_t ones = 0;
  std::uint64_t zeros = 0;
  for (std::int64_t pass = 6; pass < 12; ++pass) {
    const std::uint64_t word = WordAt(Content::Of(pass, 7), 12'345);
    ones |= word;
    zeros |= ~word;
  }
  EXPECT_EQ(ones, ~std::uint64_t{0});
  EXPECT_EQ(zeros, ~std::uint64_t{0});
}

TEST(Pattern, TheFirstAddressesArePlain) {
  EXPECT_EQ(WordAt(Content::Of(4, 99), 4711), 4711U);
  EXPECT_NE(WordAt(Content::Of(10, 99), 4711), 4711U);
}

TEST(Pattern, NoTwoAddressesAreAlike) {
  for (const std::int64_t pass : {4, 5, 10, 11}) {
    std::set<std::uint64_t> words;
    for (std::int64_t i = 0; i < 10'000; ++i) words.insert(WordAt(Content::Of(pass, 3), i));
    EXPECT_EQ(words.size(), 10'000U) << pass;
  }
}

TEST(Pattern, RandomWordsDependOnSeedAndRoundAndHaveHalfTheirBitsSet) {
  EXPECT_NE(WordAt(Content::Of(5, 0), 1), WordAt(Content::Of(5, 1), 1));
  EXPECT_NE(WordAt(Content::Of(5, 0), 1), WordAt(Content::Of(11, 0), 1));
  std::int64_t bits = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) bits += std::popcount(WordAt(Content::Of(5, 0), i));
  EXPECT_NEAR(static_cast<double>(bits), 320'000, 4 * 400);  // sd of 640,000 fair bits: 400
}

}  // namespace
}  // namespace torchsoak::runner
