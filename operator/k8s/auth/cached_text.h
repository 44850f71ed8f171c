#pragma once
// A small file that may be replaced while we run (a CA bundle, a client certificate).

#include <mutex>
#include <string>

#include "common/base/clock.h"
#include "operator/k8s/auth/environment.h"

namespace torchsoak::k8s {

/// Read when first asked for and again once a minute. A later failure keeps the last good text.
/// Thread-safe.
class CachedText {
 public:
  /// `clock` must outlive this.
  CachedText(std::string path, Environment environment, Clock& clock);

  /// An Error only as long as no read has succeeded. An empty file counts as a failure.
  Expected<std::string> Get();

 private:
  const std::string path_;
  const Environment environment_;
  Clock& clock_;
  std::mutex mutex_;  // guards all below
  std::string text_;
  BootTime read_at_{};
};

}  // namespace torchsoak::k8s
