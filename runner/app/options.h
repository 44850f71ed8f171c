#pragma once
// The command line.

#include <optional>
#include <string>
#include <vector>

namespace torchsoak::runner {

struct Options {
  enum class Command { kRun, kPod, kPreflight, kVerify, kReport };
  Command command = Command::kRun;
  std::string file;         ///< run: a StressTest; verify, report: a report
  std::string out;          ///< run, preflight: "" = ./<name>-<UTC time>; report: "" = here
  std::string sha256;       ///< verify: what the file must hash to, "" = anything
  std::optional<int> gpus;  ///< preflight: nothing = all that are seen
};

/// What to do, or what to print and exit with (help, version, or a wrong command line: code 2).
struct Parsed {
  std::optional<Options> options;
  int exit = 0;
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
};

/// `arguments` without the program's name.
Parsed ParseOptions(std::vector<std::string> arguments);

}  // namespace torchsoak::runner
