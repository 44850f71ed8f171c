#pragma once
// Trust and client certificates, parsed once and put into every TLS connection of the library.
//
// cpprestsdk loads the system's certificates into each SSL context before it asks us; with a CA of
// our own those must go again, or any public authority could stand in for the API server. This file
// is the only one that calls OpenSSL.

#include <memory>
#include <mutex>
#include <string>

#include "operator/http/transport.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace torchsoak::http {

/// Immutable but for the last problem; thread-safe.
class TlsMaterial {
 public:
  /// kInvalid with the reason when a PEM text is damaged or empty of certificates, when the key
  /// does not belong to the client certificate, or when one of the pair is missing.
  static Expected<std::shared_ptr<TlsMaterial>> Parse(const Endpoint& endpoint);

  ~TlsMaterial();
  TlsMaterial(const TlsMaterial&) = delete;
  TlsMaterial& operator=(const TlsMaterial&) = delete;

  /// Sets TLS 1.2 as the minimum, a fresh trust store when the endpoint names a CA (its
  /// certificates are trusted as they are, intermediates too, as Go does), and the client pair.
  /// False when OpenSSL refuses. This object must outlive all connections of the context.
  bool Apply(ssl_ctx_st* context);

  /// Why a handshake failed since the last call, in words ("certificate has expired"), or "".
  std::string TakeProblem();

  /// For the handshake observer.
  void SetProblem(std::string problem);

 private:
  struct Parsed;
  explicit TlsMaterial(std::unique_ptr<Parsed> parsed);

  const std::unique_ptr<Parsed> parsed_;
  std::mutex mutex_;
  std::string problem_;  // guarded by mutex_
};

}  // namespace torchsoak::http
