#pragma once
// The command line of `torchsoak controller`, read and checked before anything starts.

#include <chrono>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/log.h"

namespace CLI {
class App;
}

namespace torchsoak::app {

struct ControllerFlags {
  std::string kubeconfig;
  std::string context;
  bool leader_elect = false;
  std::string lease_duration = "15s";
  std::string lease_namespace;                ///< "": the pod's own, else torchsoak-system
  std::vector<std::string> watch_namespaces;  ///< empty: all
  std::string runner_image;
  std::vector<std::string> allowed_images;
  std::string metrics_address = ":8080";
  std::string probe_address = ":8081";
  int workers = 4;
  std::string log_level = "info";
};

/// Declares the flags on `command`; they are written into `flags` when CLI11 parses.
void DeclareControllerFlags(CLI::App& command, ControllerFlags& flags);

/// What the flags amount to.
struct ControllerOptions {
  ControllerFlags flags;
  std::chrono::milliseconds lease_duration{};
  LogLevel log_level = LogLevel::kInfo;
};

/// kInvalid names the flag, its value and what is allowed.
Expected<ControllerOptions> CheckControllerFlags(const ControllerFlags& flags);

}  // namespace torchsoak::app
