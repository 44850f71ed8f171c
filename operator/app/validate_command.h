#pragma once
// `torchsoak validate FILE...`: what the API server would say, without an API server.

#include <string>
#include <vector>

namespace torchsoak::app {

/// Checks each file; prints "FILE: ok" or every error with its line and field. 0 = all are good,
/// 2 = some are not or cannot be read.
int ValidateFiles(const std::vector<std::string>& files);

}  // namespace torchsoak::app
