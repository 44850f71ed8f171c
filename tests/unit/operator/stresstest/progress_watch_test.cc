#include "operator/stresstest/progress_watch.h"

#include <gtest/gtest.h>

namespace torchsoak::stresstest {
namespace {

TEST(FindProgress, TakesTheLastLineThatSaysSo) {
  const auto progress = FindProgress(
      "{\"msg\":\"progress\",\"percent\":10,\"step\":3}\n"
      "{\"msg\":\"progress\",\"percent\":36,\"step\":9}\n"
      "{\"msg\":\"checkpoint\"}\n@ts-report 1/1 00000000 AAAA\n");
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->text, "36%");
  EXPECT_EQ(progress->percent, 36);
}

TEST(FindProgress, ShowsTheStepWhereThereIsNoEnd) {
  EXPECT_EQ(FindProgress("{\"msg\":\"progress\",\"step\":1200}")->text, "step 1200");
}

TEST(FindProgress, BelievesNoNonsense) {
  for (const char* tail :
       {"", "\n\n", "progress 10%", "{\"msg\":\"progress\"}", "{\"msg\":7}",
        "{\"msg\":\"progress\",\"percent\":101}", "{\"msg\":\"progress\",\"percent\":-1}",
        "{\"msg\":\"progress\",\"percent\":"}) {
    EXPECT_FALSE(FindProgress(tail)) << tail;
  }
}

}  // namespace
}  // namespace torchsoak::stresstest
