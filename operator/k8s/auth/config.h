#pragma once
// Where the cluster is and who we are there: one call for all the places that may say so.

#include <memory>
#include <string>

#include "common/base/clock.h"
#include "operator/http/transport.h"
#include "operator/k8s/auth/credentials.h"
#include "operator/k8s/auth/environment.h"
#include "operator/k8s/auth/kubeconfig.h"

namespace torchsoak::k8s {

struct LoadOptions {
  std::string kubeconfig;  ///< --kubeconfig: this file and no other
  std::string context;     ///< --context: instead of current-context
};

/// Keeps what it needs alive; copies share it. Thread-safe.
struct Config {
  http::EndpointProvider endpoint;           ///< for the transports
  std::shared_ptr<Credentials> credentials;  ///< for the client
  std::string ns = "default";                ///< where objects go when nobody says
  std::string source;  ///< for a log line: "in-cluster", "context kind of ..."
};

/// The first that is there: options.kubeconfig, $KUBECONFIG (colon-separated, the first definition
/// of a name wins, missing files are skipped), the pod's service account, ~/.kube/config. kNotFound
/// names them when there is none. Whatever can be checked without the network is checked here.
/// `clock` must outlive the result.
Expected<Config> LoadConfig(const LoadOptions& options, const Environment& environment,
                            Clock& clock);

/// The configuration of one context of a kubeconfig ("" = its current-context).
Expected<Config> ConfigFromKubeconfig(const Kubeconfig& kubeconfig, const std::string& context,
                                      const Environment& environment, Clock& clock);

}  // namespace torchsoak::k8s
