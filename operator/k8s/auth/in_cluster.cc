#include "operator/k8s/auth/in_cluster.h"

#include <charconv>
#include <utility>

#include "operator/k8s/auth/endpoint_source.h"
#include "operator/k8s/auth/token_file.h"

namespace torchsoak::k8s {
namespace {

constexpr const char* kToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";
constexpr const char* kCa = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
constexpr const char* kNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
// In every API server's certificate. Instead of an IPv6 address, which the HTTP library would send
// in a malformed Host header.
constexpr const char* kServiceName = "kubernetes.default.svc";

std::string Trim(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

bool InCluster(const Environment& environment) {
  return !environment.get("KUBERNETES_SERVICE_HOST").value_or("").empty() &&
         !environment.get("KUBERNETES_SERVICE_PORT").value_or("").empty();
}

Expected<Config> InClusterConfig(const Environment& environment, Clock& clock) {
  if (!InCluster(environment)) {
    return Fail(ErrorCode::kNotFound,
                "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  EndpointSource::Parts parts;
  parts.fixed.host = *environment.get("KUBERNETES_SERVICE_HOST");
  if (parts.fixed.host.find(':') != std::string::npos) parts.fixed.host = kServiceName;
  const std::string port = *environment.get("KUBERNETES_SERVICE_PORT");
  const char* end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, parts.fixed.port);
  if (error != std::errc() || stop != end || parts.fixed.port < 1 || parts.fixed.port > 65535) {
    return Fail(ErrorCode::kInvalid, "KUBERNETES_SERVICE_PORT is \"" + port + "\", not a port");
  }
  parts.ca = std::make_unique<CachedText>(kCa, environment, clock);
  auto source = std::make_shared<EndpointSource>(std::move(parts));
  auto credentials = std::make_shared<TokenFile>(kToken, environment, clock);
  // At the start, so that a missing mount is told at once and not as a failing request.
  if (const auto ok = source->Get(); !ok) return Wrap("in-cluster", ok.error());
  if (const auto ok = credentials->Get({}); !ok) return Wrap("in-cluster", ok.error());

  Config config;
  config.endpoint = [source] { return source->Get(); };
  config.credentials = std::move(credentials);
  config.ns = Trim(environment.read_file(kNamespace).value_or(""));
  if (config.ns.empty()) config.ns = "default";
  config.source = "in-cluster";
  return config;
}

}  // namespace torchsoak::k8s
