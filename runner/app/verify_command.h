#pragma once
// `torchsoak-runner verify`: does a report's verdict follow from its evidence?

#include <string>

#include "runner/app/command.h"

namespace torchsoak::runner {

/// `file` is report.json or its gzip. `sha256`, when it is not "", is what the file must hash to:
/// of the gzip as the status of the test has it. 0 when all is well, 1 when something does not fit
/// (each on a line), 2 when the file is no report.
int VerifyCommand(const std::string& file, const std::string& sha256,
                  const StandardStreams& streams);

}  // namespace torchsoak::runner
