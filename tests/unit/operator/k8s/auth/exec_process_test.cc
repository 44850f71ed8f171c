#include "operator/k8s/auth/exec_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace torchsoak::k8s {
namespace {

using ::testing::HasSubstr;

ProcessSpec Shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", script};
  spec.environment = {"PATH=/usr/bin:/bin", "GREETING=hello"};
  return spec;
}

ErrorCode CodeOf(const Expected<ProcessResult>& result) {
  return result ? ErrorCode::kInternal : result.error().code;
}

TEST(ExecProcess, GivesOutputErrorsAndExitCode) {
  const auto result = RunProcess(Shell("echo $GREETING; echo bad >&2; exit 3"), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "hello\n");
  EXPECT_EQ(result->errors, "bad\n");
  EXPECT_EQ(result->exit_code, 3);
}

TEST(ExecProcess, ArgumentsAreNotReadByAShell) {
  ProcessSpec spec;
  spec.argv = {"printf", "%s|", "a b", "$HOME", "`id`", "\"q\"", ""};
  spec.environment = {};
  EXPECT_EQ(RunProcess(spec, {}).value().output, "a b|$HOME|`id`|\"q\"||");
}

TEST(ExecProcess, LargeOutputOnBothPipesDoesNotBlock) {
  const auto result =
      RunProcess(Shell("head -c 300000 /dev/zero >&2; head -c 500000 /dev/zero"), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output.size(), 500'000U);
  EXPECT_EQ(result->errors.size(), 4096U);
}

TEST(ExecProcess, TooMuchOutputIsGivenUp) {
  ProcessSpec spec = Shell("cat /dev/zero");
  spec.largest_output = 100'000;
  EXPECT_EQ(CodeOf(RunProcess(spec, {})), ErrorCode::kTooLarge);
}

TEST(ExecProcess, TimeLimitEndsItAndItsChildren) {
  ProcessSpec spec = Shell("sleep 1000 & sleep 1000");
  spec.limit = std::chrono::milliseconds(100);
  EXPECT_EQ(CodeOf(RunProcess(spec, {})), ErrorCode::kTimeout);
}

TEST(ExecProcess, AChildThatKeepsThePipesOpenIsNotWaitedFor) {
  const auto result = RunProcess(Shell("sleep 1000 & echo done"), {});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->output, "done\n");
}

TEST(ExecProcess, StopEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(CodeOf(RunProcess(Shell("sleep 1000"), stop.get_token())), ErrorCode::kCancelled);
}

TEST(ExecProcess, SignalsAreExitCodesAndMissingProgramsAreNotFound) {
  EXPECT_EQ(RunProcess(Shell("kill -TERM $$"), {}).value().exit_code, 128 + 15);
  ProcessSpec spec;
  EXPECT_EQ(CodeOf(RunProcess(spec, {})), ErrorCode::kInvalid);
  spec.argv = {"/nowhere/plugin"};
  EXPECT_EQ(CodeOf(RunProcess(spec, {})), ErrorCode::kNotFound);
}

TEST(ExecProcess, OpenDescriptorsStayWithUs) {
  const int secret = open("/dev/null", O_RDONLY);  // without CLOEXEC, as the HTTP library's sockets
  const auto result = RunProcess(Shell("ls /proc/self/fd | wc -l; cat"), {});
  close(secret);
  // 0, 1, 2 and the folder that ls reads; cat ends because standard input is empty.
  EXPECT_EQ(result.value().output, "4\n");
}

}  // namespace
}  // namespace torchsoak::k8s
