#include "runner/report/termination_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fakes/temp_folder.h"

namespace torchsoak::runner {
namespace {

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TerminationLogTest : public testing::Test {
 protected:
  std::string Path(const char* name) const { return (folder_.path() / name).string(); }

 private:
  const fakes::TempFolder folder_;
};

TEST_F(TerminationLogTest, AShorterMessageReplacesALongerOne) {
  const std::string path = Path("shorter");
  auto log = TerminationLog::Open(path);
  ASSERT_TRUE(log);
  ASSERT_TRUE(log->Write(std::string(4096, 'a')));
  ASSERT_TRUE(log->Write("short"));
  EXPECT_EQ(Content(path), "short");
}

TEST_F(TerminationLogTest, KeepsTheFileThatTheKubeletMounted) {
  const std::string path = Path("mounted");
  std::ofstream(path) << "from before";
  std::filesystem::create_hard_link(path, path + "-link");
  auto log = TerminationLog::Open(path);
  ASSERT_TRUE(log);
  ASSERT_TRUE(log->Write("new"));
  EXPECT_EQ(Content(path + "-link"), "new");  // the same file, not one that was renamed over it
}

TEST_F(TerminationLogTest, TellsWhyItCannotBeOpened) {
  const auto log = TerminationLog::Open(Path("no-such-folder") + "/log");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kNotFound);
}

TEST_F(TerminationLogTest, SurvivesAMove) {
  const std::string path = Path("moved");
  auto first = TerminationLog::Open(path);
  ASSERT_TRUE(first);
  TerminationLog second = std::move(*first);
  EXPECT_TRUE(second.Write("moved"));
  EXPECT_EQ(Content(path), "moved");
}

}  // namespace
}  // namespace torchsoak::runner
