#include "common/contract/report_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "common/base/bytes.h"

namespace torchsoak::contract {
namespace {

/// JSON text that does not pack well.
std::string Document(std::size_t bytes) {
  std::mt19937_64 random(bytes);
  std::string out = "\"";
  while (out.size() < bytes) out += static_cast<char>('#' + random() % 50);
  return out + "\"";
}

TEST(ReportFrames, RoundTripInAnyOrderBetweenOtherLines) {
  for (const std::size_t bytes : {1U, 5000U, 8000U, 100'000U, 700'000U}) {
    const std::string json = Document(bytes);
    auto framed = FrameReport(json);
    ASSERT_TRUE(framed);
    EXPECT_EQ(framed->ref.frames, static_cast<std::int64_t>(framed->lines.size()));
    for (const std::string& line : framed->lines) {
      EXPECT_TRUE(line.starts_with(kFramePrefix));
      EXPECT_LE(line.size(), 8000 + 40U);
      EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    auto lines = framed->lines;
    lines.insert(lines.begin(), "epoch 3 of 10");
    lines.push_back("@ts-report is not a frame");
    lines.push_back(lines[1]);  // the log was read twice
    std::shuffle(lines.begin(), lines.end(), std::mt19937_64(1));
    const auto gz = UnframeReport(lines, framed->ref);
    ASSERT_TRUE(gz) << gz.error().message;
    EXPECT_EQ(Gunzip(*gz, kMaxReportJson).value(), json);
  }
}

TEST(ReportFrames, NamesTheMissingFrame) {
  const auto framed = FrameReport(Document(60'000));
  ASSERT_TRUE(framed);
  ASSERT_GE(framed->lines.size(), 4U);
  auto lines = framed->lines;
  lines.erase(lines.begin() + 2);
  const auto gz = UnframeReport(lines, framed->ref);
  ASSERT_FALSE(gz);
  EXPECT_EQ(gz.error().code, ErrorCode::kDataLoss);
  EXPECT_NE(gz.error().message.find("frame 3 of"), std::string::npos) << gz.error().message;
}

TEST(ReportFrames, EveryDamageIsSeen) {
  const auto framed = FrameReport(Document(3000));
  ASSERT_TRUE(framed);
  ASSERT_EQ(framed->lines.size(), 1U);
  const std::string& line = framed->lines[0];
  for (std::size_t n = 0; n < line.size(); ++n) {
    EXPECT_FALSE(UnframeReport({line.substr(0, n)}, framed->ref)) << "cut at " << n;
    std::string bad = line;
    bad[n] = bad[n] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(UnframeReport({bad}, framed->ref)) << "changed at " << n;
  }
  EXPECT_TRUE(UnframeReport({line.substr(0, 50), line}, framed->ref)) << "a whole copy is enough";
}

TEST(ReportFrames, TheReferenceIsChecked) {
  const auto framed = FrameReport("{}");
  ASSERT_TRUE(framed);
  ReportRef other = framed->ref;
  other.sha256[0] = other.sha256[0] == 'a' ? 'b' : 'a';
  EXPECT_NE(UnframeReport(framed->lines, other).error().message.find("sha256"), std::string::npos);
  other = framed->ref;
  ++other.bytes;
  EXPECT_NE(UnframeReport(framed->lines, other).error().message.find("announced"),
            std::string::npos);
  for (const std::int64_t frames :
       {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2}, std::int64_t{1} << 60}) {
    other = framed->ref;
    other.frames = frames;
    EXPECT_FALSE(UnframeReport(framed->lines, other)) << frames;
  }
}

TEST(ReportFrames, ForeignLinesAreNoFrames) {
  const auto framed = FrameReport("{}");
  for (const std::string line : {"@ts-report ", "@ts-report 1/1 ", "@ts-report 0/1 00000000 ",
                                 "@ts-report 2/1 00000000 AAAA", "@ts-report -1/1 00000000 AAAA",
                                 "@ts-report 1/99999999999999999999 00000000 AAAA",
                                 "@ts-report 1/1 zzzzzzzz AAAA", "@ts-report 1/1 00000000AAAA"}) {
    EXPECT_FALSE(UnframeReport({line}, framed->ref)) << line;
  }
}

TEST(ReportFrames, TooLargeIsSaid) {
  EXPECT_EQ(FrameReport(Document(1'500'000)).error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(FrameReport(std::string(17U << 20U, ' ')).error().code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace torchsoak::contract
