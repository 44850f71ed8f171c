#pragma once
// `torchsoak-runner report`: a stored report for people and for CI.

#include <string>

#include "runner/app/command.h"

namespace torchsoak::runner {

/// Makes report.json, report.html and junit.xml in the folder `out` ("" = here) from `file`,
/// report.json or its gzip as the ConfigMap of a test holds it. 0, or 2 when `file` is no report or
/// `out` cannot be written. The verdict is not looked at: see VerifyCommand.
int ReportCommand(const std::string& file, const std::string& out, const StandardStreams& streams);

}  // namespace torchsoak::runner
