#pragma once
// Builds the Endpoint of a cluster from texts, files that may change, and an exec plugin.

#include <memory>
#include <mutex>
#include <string>

#include "operator/http/transport.h"
#include "operator/k8s/auth/cached_text.h"
#include "operator/k8s/auth/exec_plugin.h"

namespace torchsoak::k8s {

/// Thread-safe. Gives the same pointer as long as nothing changed, so that the transport keeps its
/// connections; after a CA, certificate or key changed on disk (seen within a minute), a new one.
class EndpointSource {
 public:
  /// `fixed` holds what never changes. The others may be null; they replace the field of theirs.
  struct Parts {
    http::Endpoint fixed;
    std::unique_ptr<CachedText> ca;
    std::unique_ptr<CachedText> certificate;
    std::unique_ptr<CachedText> key;
    std::shared_ptr<ExecPlugin> plugin;  ///< asked for a client pair when `fixed` has none
  };

  explicit EndpointSource(Parts parts) : parts_(std::move(parts)) {}

  Expected<std::shared_ptr<const http::Endpoint>> Get();

 private:
  Expected<http::Endpoint> Build();

  Parts parts_;
  std::mutex mutex_;
  std::shared_ptr<const http::Endpoint> last_;  // guarded by mutex_
};

}  // namespace torchsoak::k8s
