// torchsoak-runner: what needs no LibTorch is done here; for the rest this program becomes
// torchsoak-runner-torch, which lies beside it.
//
// Loading LibTorch takes seconds. A process 1 that has no handler yet loses a SIGTERM for good, and
// a pod that is stopped in that time would be killed half a minute later without its result. So the
// signals are held back before, and the runner finds them waiting (execve(2) keeps them).

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "common/contract/verdict.h"
#include "runner/app/options.h"
#include "runner/app/report_command.h"
#include "runner/app/verify_command.h"
#include "runner/report/output.h"

namespace {

using torchsoak::runner::Options;

constexpr std::chrono::seconds kPatience{10};

void SetStopsBlocked(bool blocked) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigprocmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &stops, nullptr);
}

/// Returns only when there is no such program.
int BecomeTorch(char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "torchsoak-runner-torch").string();
  ::execv(program.c_str(), argv);
  const std::string why = program + " cannot be started: " + std::strerror(errno) +
                          "; it is built where LibTorch is and belongs beside torchsoak-runner\n";
  torchsoak::runner::WriteAll(STDERR_FILENO, why, kPatience);
  return torchsoak::contract::kExitError;
}

}  // namespace

int main(int argc, char** argv) {
  SetStopsBlocked(true);
  const auto parsed = torchsoak::runner::ParseOptions({argv + 1, argv + argc});
  if (!parsed.options) {
    torchsoak::runner::WriteAll(STDOUT_FILENO, parsed.out, kPatience);
    torchsoak::runner::WriteAll(STDERR_FILENO, parsed.err, kPatience);
    return parsed.exit;
  }
  const Options& options = *parsed.options;
  switch (options.command) {
    case Options::Command::kReport:
      SetStopsBlocked(false);
      return torchsoak::runner::ReportCommand(options.file, options.out, {});
    case Options::Command::kVerify:
      SetStopsBlocked(false);
      return torchsoak::runner::VerifyCommand(options.file, options.sha256, {});
    case Options::Command::kRun:
    case Options::Command::kPod:
    case Options::Command::kPreflight:
      break;
  }
  return BecomeTorch(argv);
}
