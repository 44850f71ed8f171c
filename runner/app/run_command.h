#pragma once
// `torchsoak-runner run` and `preflight`: the same file, verdict and report as in a cluster,
// without one.

#include <optional>
#include <string>

#include "runner/app/command.h"

namespace torchsoak::runner {

/// Reads and validates `file`, runs it, writes the report to `out`, and returns the exit code.
int RunCommand(const std::string& file, const std::string& out, const CommandContext& context);

/// A Preflight test with defaults and `gpus` accelerators (nothing: as many as are seen).
int PreflightCommand(std::optional<int> gpus, const std::string& out,
                     const CommandContext& context);

}  // namespace torchsoak::runner
