#include "operator/runtime/prefix_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PrefixLines, KeepsOnlyLinesWithThePrefixWhereverTheStreamIsCut) {
  const std::string log = "noise\n@ts 1\r\n@tsx\n x@ts no\n\n@ts 2\n@t";
  for (std::size_t cut = 0; cut <= log.size(); ++cut) {
    PrefixLines lines("@ts ", {});
    EXPECT_TRUE(lines.Feed(log.substr(0, cut)));
    EXPECT_TRUE(lines.Feed(log.substr(cut)));
    lines.End();
    EXPECT_THAT(lines.lines(), ElementsAre("@ts 1", "@ts 2")) << "cut at " << cut;
    EXPECT_FALSE(lines.truncated());
  }
}

TEST(PrefixLines, LastLineCountsOnlyAtTheEnd) {
  PrefixLines lines("@", {});
  lines.Feed("@last");
  EXPECT_THAT(lines.lines(), IsEmpty());
  lines.End();
  EXPECT_THAT(lines.TakeLines(), ElementsAre("@last"));
  EXPECT_THAT(lines.lines(), IsEmpty());
}

TEST(PrefixLines, LongLineIsLeftOutAndSaid) {
  PrefixLines lines("@", {.line = 8, .total = 100});
  lines.Feed("@1234567\n@12345678\n@ok\n");
  EXPECT_THAT(lines.lines(), ElementsAre("@1234567", "@ok"));
  EXPECT_TRUE(lines.truncated());
}

TEST(PrefixLines, LongLineInManyPiecesTakesNoMemory) {
  PrefixLines lines("@", {.line = 8, .total = 100});
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(lines.Feed("@2345"));
  lines.Feed("\n@ok\n");
  EXPECT_THAT(lines.lines(), ElementsAre("@ok"));
  EXPECT_TRUE(lines.truncated());
}

TEST(PrefixLines, LongLineOfNoInterestIsNoLoss) {
  PrefixLines lines("@", {.line = 8, .total = 100});
  lines.Feed(std::string(50, 'x') + "\n@ok\n");
  EXPECT_THAT(lines.lines(), ElementsAre("@ok"));
  EXPECT_FALSE(lines.truncated());
}

TEST(PrefixLines, TotalLimitEndsIt) {
  PrefixLines lines("@", {.line = 8, .total = 10});
  EXPECT_FALSE(lines.Feed("@1234\n@5678\n@9\n@\n"));
  EXPECT_THAT(lines.lines(), SizeIs(2));
  EXPECT_TRUE(lines.truncated());
  EXPECT_TRUE(lines.full());
  EXPECT_FALSE(lines.Feed("@\n"));
  lines.End();
  EXPECT_THAT(lines.lines(), SizeIs(2));
}

}  // namespace
}  // namespace torchsoak::runtime
