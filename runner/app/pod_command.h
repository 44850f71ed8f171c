#pragma once

#include "runner/app/command.h"

namespace torchsoak::runner {

/// Environment variable that names another file than the kubelet's termination log (tests).
inline constexpr const char* kEnvTerminationLog = "TORCHSOAK_TERMINATION_LOG";

/// `torchsoak-runner pod`: runs what TORCHSOAK_RUN says and answers through the termination message
/// and the log. Returns the exit code.
int PodCommand(const CommandContext& context);

}  // namespace torchsoak::runner
