#include "common/contract/modes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace torchsoak::contract {
namespace {

TEST(Modes, InTheOrderOfTheEnum) {
  int at = 0;
  for (const ModeInfo& info : AllModes()) {
    EXPECT_EQ(static_cast<int>(info.mode), at++);
    EXPECT_EQ(&InfoOf(info.mode), &info);
    EXPECT_EQ(FindMode(info.name), &info);
    EXPECT_EQ(ToString(info.mode), info.name);
  }
  EXPECT_EQ(FindMode("training"), nullptr);
  EXPECT_EQ(FindMode(""), nullptr);
}

// The CRD's rule makes the member's name from the mode's.
TEST(Modes, MemberIsTheNameWithASmallFirstLetter) {
  for (const ModeInfo& info : AllModes()) {
    std::string member(info.name);
    member.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(member.front())));
    EXPECT_EQ(info.member, member);
  }
}

TEST(Modes, MeasureTheirOwnAndWhatAllWithStepsMeasure) {
  for (const ModeInfo& info : AllModes()) {
    EXPECT_EQ(Measures(info.mode, "process.rss"), HasSteps(info.mode)) << info.name;
    EXPECT_EQ(Measures(info.mode, "memory.allocated"), HasSteps(info.mode)) << info.name;
    if (!HasSteps(info.mode)) continue;
    EXPECT_TRUE(Measures(info.mode, info.step_time)) << info.name;
    EXPECT_TRUE(Measures(info.mode, info.headline)) << info.name;
    const auto modes = AllModes();
    EXPECT_EQ(std::ranges::count_if(
                  modes, [&](const ModeInfo& one) { return Measures(one.mode, info.step_time); }),
              1);
  }
  EXPECT_FALSE(HasSteps(Mode::kPreflight));
  EXPECT_FALSE(Measures(Mode::kTraining, "inference.latency"));
  EXPECT_FALSE(Measures(Mode::kTraining, "train.loss"));
  EXPECT_FALSE(Measures(Mode::kTraining, ""));
}

}  // namespace
}  // namespace torchsoak::contract
