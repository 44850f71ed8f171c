#pragma once
// A bearer token in a file that somebody else renews (the kubelet, for a service account).
//
// Never held from the start of the process: service account tokens live for an hour. Read again
// every minute, 10 s early; a failed read keeps the last good token.

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "operator/k8s/auth/credentials.h"
#include "operator/k8s/auth/environment.h"

namespace torchsoak::k8s {

/// "Bearer <token>" after cutting white space off both ends. kInvalid when nothing is left or when
/// a space or control character is inside: such a token would break the header it is sent in.
/// `origin` says in the message where the token comes from; the token itself never does.
Expected<std::string> BearerHeader(const std::string& token, const std::string& origin);

class TokenFile final : public Credentials {
 public:
  /// `clock` must outlive this.
  TokenFile(std::string path, Environment environment, Clock& clock);

  Expected<http::Headers> Get(std::stop_token stop) override;

  /// Forgets a token that was read before the request started; the next Get() reads the file. If
  /// that fails there is no token any more: the old one is known to be refused.
  bool Reject(BootTime request_start) override;

 private:
  const std::string path_;
  const Environment environment_;
  Clock& clock_;
  std::mutex mutex_;    // guards all below
  std::string header_;  // "" = none
  BootTime read_at_{};  // of header_
};

}  // namespace torchsoak::k8s
