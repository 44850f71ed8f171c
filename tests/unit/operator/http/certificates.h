#pragma once
// Certificates made for one test run.

#include <string>
#include <vector>

struct ssl_ctx_st;

namespace torchsoak::http {

/// A certificate and its key, as PEM.
struct Pair {
  std::string certificate;
  std::string key;
};

struct CertificateSpec {
  std::string name = "test";
  std::vector<std::string> dns;
  std::vector<std::string> ips;
  bool ca = false;
  bool expired = false;
};

/// Signed by `issuer`, or by itself when that is null.
Pair MakeCertificate(const CertificateSpec& spec, const Pair* issuer = nullptr);

void UsePair(ssl_ctx_st* context, const Pair& pair);
void TrustPem(ssl_ctx_st* context, const std::string& pem);

}  // namespace torchsoak::http
