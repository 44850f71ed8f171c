#include "runner/app/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

TEST(Options, ReadsRun) {
  const Parsed parsed = ParseOptions({"run", "-f", "test.yaml", "--out", "here"});
  ASSERT_TRUE(parsed.options) << parsed.err;
  EXPECT_EQ(parsed.options->command, Options::Command::kRun);
  EXPECT_EQ(parsed.options->file, "test.yaml");
  EXPECT_EQ(parsed.options->out, "here");
}

TEST(Options, ReadsPodAndPreflight) {
  EXPECT_EQ(ParseOptions({"pod"}).options->command, Options::Command::kPod);
  const Parsed parsed = ParseOptions({"preflight", "--gpus", "2"});
  EXPECT_EQ(parsed.options->command, Options::Command::kPreflight);
  EXPECT_EQ(parsed.options->gpus, 2);
}

TEST(Options, AWrongCommandLineIsCodeTwo) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"run"},
                                             {"rum"},
                                             {"run", "-f"},
                                             {"pod", "--nonsense"},
                                             {"preflight", "--gpus", "99"}}) {
    const Parsed parsed = ParseOptions(arguments);
    EXPECT_FALSE(parsed.options);
    EXPECT_EQ(parsed.exit, 2);
    EXPECT_FALSE(parsed.err.empty());
  }
}

TEST(Options, HelpAndVersionAreNoFailure) {
  EXPECT_EQ(ParseOptions({"--help"}).exit, 0);
  EXPECT_THAT(ParseOptions({"--help"}).out, HasSubstr("preflight"));
  EXPECT_EQ(ParseOptions({"--version"}).exit, 0);
  EXPECT_THAT(ParseOptions({"--version"}).out, HasSubstr("torchsoak-runner "));
}

}  // namespace
}  // namespace torchsoak::runner
