#pragma once
// A child process that is run for its output, with a time limit and without a shell.

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::k8s {

struct ProcessSpec {
  std::vector<std::string> argv;         ///< [0] is looked up in PATH when it has no slash
  std::vector<std::string> environment;  ///< "NAME=value", all that the child gets
  std::chrono::milliseconds limit{30'000};
  std::size_t largest_output = 1U << 20U;  ///< of standard output, bytes
};

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string output;
  std::string errors;  ///< the first 4 KiB of standard error
};

/// Runs it to its end on the calling thread; standard input is empty, other descriptors are closed,
/// signals are reset. kNotFound when the program is not there, kTimeout, kTooLarge, kCancelled,
/// else kUnavailable; whatever is left of its process group is killed then.
Expected<ProcessResult> RunProcess(const ProcessSpec& spec, std::stop_token stop);

}  // namespace torchsoak::k8s
