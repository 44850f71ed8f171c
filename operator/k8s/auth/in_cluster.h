#pragma once
// The configuration that every pod has: service address in the environment, CA, token and namespace
// in files of the service account.

#include "operator/k8s/auth/config.h"

namespace torchsoak::k8s {

/// Whether we run in a pod: both KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are set.
bool InCluster(const Environment& environment);

/// kNotFound outside a pod; kInvalid or the file's error when the service account is not mounted
/// (automountServiceAccountToken: false). The CA and the token are read again as they rotate.
Expected<Config> InClusterConfig(const Environment& environment, Clock& clock);

}  // namespace torchsoak::k8s
