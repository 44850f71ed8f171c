// The commands with a fake backend: what starting the binary a hundred times would take a minute
// for. tests/runner starts the binary for a few of them.
#include "runner/app/run_command.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "common/contract/names.h"
#include "runner/app/pod_command.h"
#include "tests/fakes/temp_folder.h"
#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CommandTest : public testing::Test {
 protected:
  /// Runs `command` with its output in files of the folder.
  template <typename Command>
  int With(const Command& command) {
    const int out = Open("stdout");
    const int err = Open("stderr");
    const CommandContext context{*clock_,
                                 backend_,
                                 [this](const std::string& name) -> std::optional<std::string> {
                                   const auto it = variables_.find(name);
                                   if (it == variables_.end()) return std::nullopt;
                                   return it->second;
                                 },
                                 [] { return 0; },
                                 [](int) {},
                                 Json::object(),
                                 {out, err}};
    const int code = command(context);
    ::close(out);
    ::close(err);
    return code;
  }
  int Run(const std::string& file) {
    return With([&](const CommandContext& context) {
      return RunCommand(file, (folder_ / "report").string(), context);
    });
  }
  std::string Out() const { return Content(folder_ / "stdout"); }
  std::string Err() const { return Content(folder_ / "stderr"); }

  const fakes::TempFolder temp_;
  const fs::path& folder_ = temp_.path();
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  FakeBackend backend_;
  std::map<std::string, std::string> variables_;

 private:
  int Open(const char* name) const {
    return ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  }
};

TEST_F(CommandTest, EveryFileWithAMistakeIsRefusedWithItsField) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TORCHSOAK_TESTDATA "/invalid")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    const std::string text = Content(file);
    const std::string field = text.substr(9, text.find('\n') - 9);  // "# field: spec.duration"
    EXPECT_EQ(Run(file.string()), contract::kExitUsage) << file;
    EXPECT_THAT(Err(), HasSubstr(field)) << file;
    EXPECT_FALSE(fs::exists(folder_ / "report")) << file;
  }
}

TEST_F(CommandTest, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(Run("no-such-file.yaml"), 2);
  EXPECT_THAT(Err(), HasSubstr("no-such-file.yaml"));
  EXPECT_EQ(Run(folder_.string()), 2);
  EXPECT_THAT(Err(), HasSubstr("is a folder"));
}

TEST_F(CommandTest, ARunLeavesTheReportInTheFolder) {
  std::ofstream(folder_ / "test.yaml") << "apiVersion: torchsoak.dev/v1alpha1\n"
                                          "kind: StressTest\n"
                                          "metadata: {name: fake}\n"
                                          "spec: {mode: Training, training: {}, maxIterations: 30, "
                                          "gpu: {perPod: 0}}\n";
  EXPECT_EQ(Run((folder_ / "test.yaml").string()), 0) << Err();
  EXPECT_THAT(Out(), HasSubstr("verdict: Passed"));
  EXPECT_TRUE(ParseJson(Content(folder_ / "report" / "report.json")));
}

TEST_F(CommandTest, PreflightAsksForWhatIsThere) {
  backend_.visible = 2;
  EXPECT_EQ(With([&](const CommandContext& context) {
              return PreflightCommand(std::nullopt, (folder_ / "report").string(), context);
            }),
            0)
      << Err();
  EXPECT_THAT(Out(), HasSubstr("DeviceCount: Passed, 2"));
  EXPECT_EQ(With([&](const CommandContext& context) {
              return PreflightCommand(4, (folder_ / "report").string(), context);
            }),
            4);
}

// An operator of another release: its answer must not look like somebody else's.
TEST_F(CommandTest, ARunOfAnotherVersionIsRefusedInItsOwnName) {
  variables_[kEnvTerminationLog] = (folder_ / "message").string();
  variables_[std::string(contract::kEnvRun)] =
      R"({"v":2,"uid":"8f5a","run":3,"attempt":2,"plan":[]})";
  EXPECT_EQ(With(PodCommand), 2);
  const auto decoded = contract::DecodeResult(Content(folder_ / "message"));
  ASSERT_TRUE(decoded.result) << decoded.problem;
  const contract::Core& core = decoded.result->core;
  EXPECT_EQ(core.uid, "8f5a");
  EXPECT_EQ(core.run, 3);
  EXPECT_EQ(core.attempt, 2);
  EXPECT_EQ(core.outcome->reason, contract::Reason::kInvalidSpec);
  EXPECT_THAT(core.outcome->message, HasSubstr("one release"));
}

TEST_F(CommandTest, APodWithoutARunIsAnInvalidSpec) {
  variables_[kEnvTerminationLog] = (folder_ / "message").string();
  EXPECT_EQ(With(PodCommand), 2);
  const auto decoded = contract::DecodeResult(Content(folder_ / "message"));
  ASSERT_TRUE(decoded.result) << decoded.problem;
  EXPECT_EQ(decoded.result->core.outcome->reason, contract::Reason::kInvalidSpec);
}

}  // namespace
}  // namespace torchsoak::runner
