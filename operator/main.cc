// torchsoak: the operator (`controller`) and the command line.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/base/version.h"
#include "common/contract/verdict.h"
#include "operator/app/controller_command.h"
#include "operator/app/options.h"
#include "operator/app/signals.h"
#include "operator/app/validate_command.h"

namespace {

using namespace torchsoak;  // NOLINT: main wires everything

int Run(int argc, char** argv) {
  CLI::App app{"Stress tests for PyTorch models and the machines they run on."};
  app.name("torchsoak");
  app.set_version_flag("--version", std::string(kVersion) + " " + kCommit);
  app.require_subcommand(1);

  app::ControllerFlags flags;
  CLI::App* controller = app.add_subcommand("controller", "run the operator");
  app::DeclareControllerFlags(*controller, flags);

  std::vector<std::string> files;
  CLI::App* validate = app.add_subcommand("validate", "check StressTest files without a cluster");
  validate->add_option("-f,--filename,files", files, "YAML files")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? contract::kExitPassed : contract::kExitUsage;
  }
  if (*validate) return app::ValidateFiles(files);
  const auto options = app::CheckControllerFlags(flags);
  if (!options) {
    std::cerr << "torchsoak controller: " << options.error().message << "\n";
    return contract::kExitUsage;
  }
  return app::RunController(*options);
}

}  // namespace

int main(int argc, char** argv) {
  torchsoak::app::BlockSignals();
  const int code = Run(argc, argv);
  std::cout.flush();
  std::_Exit(code);  // the HTTP library's threads must not be joined by static destructors
}
