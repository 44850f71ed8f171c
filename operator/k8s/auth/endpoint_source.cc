#include "operator/k8s/auth/endpoint_source.h"

#include <utility>

namespace torchsoak::k8s {
namespace {

Status Replace(CachedText* file, std::string& text, const char* what) {
  if (file == nullptr) return {};
  auto current = file->Get();
  if (!current) return Wrap(what, current.error());
  text = std::move(*current);
  return {};
}

}  // namespace

Expected<http::Endpoint> EndpointSource::Build() {
  http::Endpoint endpoint = parts_.fixed;
  auto ok =
      Replace(parts_.ca.get(), endpoint.ca_pem, "reading the certificate authority")
          .and_then([&] {
            return Replace(parts_.certificate.get(), endpoint.client_cert_pem,
                           "reading the client certificate");
          })
          .and_then([&] {
            return Replace(parts_.key.get(), endpoint.client_key_pem, "reading the client key");
          });
  if (!ok) return tl::unexpected(ok.error());
  if (parts_.plugin && endpoint.client_cert_pem.empty()) {
    auto credential = parts_.plugin->Current({});
    if (!credential) return tl::unexpected(credential.error());
    endpoint.client_cert_pem = std::move(credential->certificate_pem);
    endpoint.client_key_pem = std::move(credential->key_pem);
  }
  return endpoint;
}

Expected<std::shared_ptr<const http::Endpoint>> EndpointSource::Get() {
  auto endpoint = Build();
  if (!endpoint) return tl::unexpected(endpoint.error());
  const std::lock_guard lock(mutex_);
  if (!last_ || *last_ != *endpoint) {
    last_ = std::make_shared<const http::Endpoint>(std::move(*endpoint));
  }
  return last_;
}

}  // namespace torchsoak::k8s
