#include "runner/workload/rounds.h"

#include <gtest/gtest.h>

#include <atomic>

namespace torchsoak::runner {
namespace {

TEST(Rounds, EveryWorkerDoesItsAmountAndThenAllWait) {
  std::atomic<std::int64_t> done{0};
  Rounds rounds(4, [&](std::size_t, std::int64_t amount) { done += amount; });
  for (int i = 1; i <= 100; ++i) {
    rounds.Run({1, 2, 3, 4});
    EXPECT_EQ(done, 10 * i);
  }
}

TEST(Rounds, EndWithoutARound) {
  const Rounds rounds(3, [](std::size_t, std::int64_t) {});
}

}  // namespace
}  // namespace torchsoak::runner
