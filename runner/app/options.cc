#include "runner/app/options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

#include "common/base/version.h"
#include "common/contract/verdict.h"

namespace torchsoak::runner {
namespace {

std::string VersionText() {
  std::string text = std::string("torchsoak-runner ") + kVersion;
  if (*kCommit != '\0') text += std::string(" (") + kCommit + ")";
  return text;
}

constexpr const char* kFooter =
    "Exit codes: 0 Passed, 1 Failed, 2 wrong file or command line, 3 Inconclusive or stopped,\n"
    "4 Error, 124 time limit or watchdog.";

}  // namespace

Parsed ParseOptions(std::vector<std::string> arguments) {
  Options options;
  CLI::App app("Runs a torchsoak StressTest on this machine.", "torchsoak-runner");
  app.set_version_flag("--version", VersionText());
  app.footer(kFooter);
  app.require_subcommand(1);
  CLI::App* run = app.add_subcommand("run", "Run a StressTest file without a cluster.");
  run->add_option("-f,--file", options.file, "the StressTest, YAML or JSON")->required();
  run->add_option("--out", options.out, "folder for report.json (default ./<name>-<UTC time>)");
  CLI::App* pod =
      app.add_subcommand("pod", "Run what TORCHSOAK_RUN says, as the operator starts it.");
  CLI::App* preflight = app.add_subcommand("preflight", "Check this machine.");
  preflight->add_option("--out", options.out, "folder for report.json");
  preflight->add_option("--gpus", options.gpus, "GPUs that must be seen (default: all that are)")
      ->check(CLI::Range(0, 16));

  CLI::App* verify = app.add_subcommand(
      "verify",
      "Work a report's verdict out anew from its evidence, and refuse one that was edited.");
  verify->add_option("report", options.file, "report.json, or its gzip")->required();
  verify->add_option("--sha256", options.sha256,
                     "what the file must hash to (.status.results.sha256)");

  CLI::App* report = app.add_subcommand(
      "report", "Make report.json, report.html and junit.xml from a stored report.");
  report->add_option("report", options.file, "report.json, or its gzip")->required();
  report->add_option("--out", options.out, "folder for them (default: here)");

  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(e, out, err);
    return {std::nullopt, code == 0 ? 0 : contract::kExitUsage, out.str(), err.str()};
  }
  if (pod->parsed()) options.command = Options::Command::kPod;
  if (preflight->parsed()) options.command = Options::Command::kPreflight;
  if (report->parsed()) options.command = Options::Command::kReport;
  if (verify->parsed()) options.command = Options::Command::kVerify;
  return {options, 0, "", ""};
}

}  // namespace torchsoak::runner
