#include "operator/k8s/watch/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace torchsoak::k8s {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LineSplitterTest : public ::testing::Test {
 protected:
  LineSplitter::Result Feed(LineSplitter& splitter, std::string_view piece) {
    return splitter.Feed(piece, [this](std::string_view line) {
      lines_.emplace_back(line);
      return lines_.size() < most_;
    });
  }

  std::vector<std::string> lines_;
  std::size_t most_ = 1000;
};

TEST_F(LineSplitterTest, EmitsOnlyCompleteLines) {
  LineSplitter splitter;
  EXPECT_EQ(Feed(splitter, "one\ntwo\nthr"), LineSplitter::Result::kMore);
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
  Feed(splitter, "ee\n");
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three"));
}

TEST_F(LineSplitterTest, LeavesOutBlankLinesAndCarriageReturns) {
  LineSplitter splitter;
  Feed(splitter, "\n\r\n  \t\na\r\n\n");
  EXPECT_THAT(lines_, ElementsAre("a"));
}

TEST_F(LineSplitterTest, SameLinesWhereverTheStreamIsCut) {
  const std::string stream = "{\"a\":\"ä€😀\"}\n\n{\"b\":2}\r\nlast\n";
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    LineSplitter splitter;
    lines_.clear();
    Feed(splitter, std::string_view(stream).substr(0, cut));
    Feed(splitter, std::string_view(stream).substr(cut));
    EXPECT_THAT(lines_, ElementsAre("{\"a\":\"ä€😀\"}", "{\"b\":2}", "last")) << "cut at " << cut;
  }
}

TEST_F(LineSplitterTest, StopsWhenTheSinkSaysSo) {
  LineSplitter splitter;
  most_ = 1;
  EXPECT_EQ(Feed(splitter, "one\ntwo\n"), LineSplitter::Result::kStopped);
  EXPECT_THAT(lines_, ElementsAre("one"));
}

TEST_F(LineSplitterTest, RefusesALineOverTheLimitInOnePieceOrMany) {
  LineSplitter whole(8);
  EXPECT_EQ(Feed(whole, "12345678\n"), LineSplitter::Result::kMore);
  EXPECT_EQ(Feed(whole, "123456789\n"), LineSplitter::Result::kTooLong);
  LineSplitter pieces(8);
  EXPECT_EQ(Feed(pieces, "12345"), LineSplitter::Result::kMore);
  EXPECT_EQ(Feed(pieces, "6789"), LineSplitter::Result::kTooLong);
  EXPECT_THAT(lines_, ElementsAre("12345678"));
}

TEST_F(LineSplitterTest, KeepsHalfALineToItself) {
  LineSplitter splitter;
  Feed(splitter, "half");
  EXPECT_THAT(lines_, IsEmpty());
}

}  // namespace
}  // namespace torchsoak::k8s
