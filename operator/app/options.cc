#include "operator/app/options.h"

#include <CLI/CLI.hpp>

#include "common/base/duration.h"

namespace torchsoak::app {

void DeclareControllerFlags(CLI::App& command, ControllerFlags& flags) {
  command.add_option("--kubeconfig", flags.kubeconfig,
                     "kubeconfig file; default: $KUBECONFIG, the pod's account, ~/.kube/config");
  command.add_option("--context", flags.context, "context of the kubeconfig");
  command.add_flag("--leader-elect", flags.leader_elect,
                   "run only while holding the Lease; needed with more than one replica");
  command
      .add_option("--lease-duration", flags.lease_duration,
                  "how long a silent leader keeps the Lease, at least 1s")
      ->capture_default_str();
  command.add_option("--lease-namespace", flags.lease_namespace,
                     "namespace of the Lease; default: the pod's own");
  command
      .add_option("--watch-namespaces", flags.watch_namespaces,
                  "namespaces to work in, separated by commas; default: all")
      ->delimiter(',');
  command
      .add_option("--runner-image", flags.runner_image,
                  "image of runner pods whose test names none")
      ->required();
  command
      .add_option("--allowed-images", flags.allowed_images,
                  "other images that spec.image may name, separated by commas; an entry may "
                  "end in *")
      ->delimiter(',');
  command.add_option("--metrics-bind-address", flags.metrics_address, "where /metrics is served")
      ->capture_default_str();
  command
      .add_option("--health-probe-bind-address", flags.probe_address,
                  "where /healthz and /readyz are served")
      ->capture_default_str();
  command.add_option("--workers", flags.workers, "tests that are reconciled at once")
      ->capture_default_str();
  command.add_option("--log-level", flags.log_level, "debug, info, warning or error")
      ->capture_default_str();
}

Expected<ControllerOptions> CheckControllerFlags(const ControllerFlags& flags) {
  ControllerOptions options;
  options.flags = flags;
  const auto lease = ParseDuration(flags.lease_duration);
  if (!lease) return Wrap("--lease-duration", lease.error());
  if (*lease < std::chrono::seconds(1)) {
    return Fail(ErrorCode::kInvalid,
                "--lease-duration is " + flags.lease_duration + "; at least 1s is needed");
  }
  options.lease_duration = *lease;
  if (flags.workers < 1 || flags.workers > 64) {
    return Fail(ErrorCode::kInvalid,
                "--workers is " + std::to_string(flags.workers) + "; 1 to 64 are allowed");
  }
  if (flags.log_level == "debug") {
    options.log_level = LogLevel::kDebug;
  } else if (flags.log_level == "warning") {
    options.log_level = LogLevel::kWarning;
  } else if (flags.log_level == "error") {
    options.log_level = LogLevel::kError;
  } else if (flags.log_level != "info") {
    return Fail(ErrorCode::kInvalid, "--log-level is \"" + flags.log_level +
                                         "\"; debug, info, warning and error are allowed");
  }
  return options;
}

}  // namespace torchsoak::app
