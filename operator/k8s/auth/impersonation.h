#pragma once
// `as`, `as-uid`, `as-groups` and `as-user-extra` of a kubeconfig user, as headers.

#include <memory>
#include <utility>

#include "operator/k8s/auth/credentials.h"
#include "operator/k8s/auth/kubeconfig.h"

namespace torchsoak::k8s {

/// Empty when the user impersonates nobody. kInvalid for control characters in a value, or groups,
/// UID or extras without a user.
Expected<http::Headers> ImpersonationHeaders(const KubeUser& user);

/// Another's headers plus fixed ones.
class Impersonation final : public Credentials {
 public:
  Impersonation(std::shared_ptr<Credentials> inner, http::Headers headers)
      : inner_(std::move(inner)), headers_(std::move(headers)) {}

  Expected<http::Headers> Get(std::stop_token stop) override;
  bool Reject(BootTime request_start) override { return inner_->Reject(request_start); }

 private:
  const std::shared_ptr<Credentials> inner_;
  const http::Headers headers_;
};

}  // namespace torchsoak::k8s
