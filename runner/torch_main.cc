// torchsoak-runner-torch: the commands that run a soak. Started by main.cc with its own command
// line.

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "runner/app/malloc_settings.h"
#include "runner/app/options.h"
#include "runner/app/pod_command.h"
#include "runner/app/run_command.h"
#include "runner/app/signals.h"
#include "runner/report/output.h"
#include "runner/workload/torch_backend.h"

namespace {

using torchsoak::runner::CommandContext;
using torchsoak::runner::Options;

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

int Dispatch(const Options& options, const CommandContext& context) {
  switch (options.command) {
    case Options::Command::kRun:
      return torchsoak::runner::RunCommand(options.file, options.out, context);
    case Options::Command::kPod:
      return torchsoak::runner::PodCommand(context);
    case Options::Command::kPreflight:
      return torchsoak::runner::PreflightCommand(options.gpus, options.out, context);
    case Options::Command::kReport:
    case Options::Command::kVerify:
      break;  // of main.cc
  }
  return torchsoak::contract::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const auto parsed = torchsoak::runner::ParseOptions({argv + 1, argv + argc});
  if (!parsed.options) {
    constexpr std::chrono::seconds kPatience{10};
    torchsoak::runner::WriteAll(STDOUT_FILENO, parsed.out, kPatience);
    torchsoak::runner::WriteAll(STDERR_FILENO, parsed.err, kPatience);
    return parsed.exit;
  }
  const torchsoak::Json malloc = torchsoak::runner::SetMallocThresholds();
  const torchsoak::runner::Signals signals(/*reap=*/getpid() == 1);
  const auto clock = torchsoak::MakeSystemClock();
  const auto backend = torchsoak::runner::MakeTorchBackend(*clock);
  const CommandContext context{*clock,
                               *backend,
                               Variable,
                               [&] { return signals.stops(); },
                               [](int code) { std::_Exit(code); },
                               malloc,
                               {}};
  const int code = Dispatch(*parsed.options, context);
  // The result is out; destructors of libraries could still crash and turn a pass into a crash.
  std::_Exit(code);
}
