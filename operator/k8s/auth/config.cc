#include "operator/k8s/auth/config.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "operator/http/url.h"
#include "operator/k8s/auth/endpoint_source.h"
#include "operator/k8s/auth/impersonation.h"
#include "operator/k8s/auth/in_cluster.h"
#include "operator/k8s/auth/token_file.h"

namespace torchsoak::k8s {
namespace {

tl::unexpected<Error> Invalid(std::string what) {
  return Fail(ErrorCode::kInvalid, std::move(what));
}

Expected<http::Endpoint> EndpointOf(const KubeCluster& cluster) {
  if (!cluster.proxy_url.empty()) {
    return Invalid(
        "proxy-url is not supported; reach the server directly or through kubectl proxy");
  }
  if (cluster.insecure && !cluster.ca.empty()) {
    return Invalid("insecure-skip-tls-verify and a certificate-authority exclude each other");
  }
  auto url = http::ParseServerUrl(cluster.server);
  if (!url) return tl::unexpected(url.error());
  http::Endpoint endpoint;
  endpoint.scheme = std::move(url->scheme);
  endpoint.host = std::move(url->host);
  endpoint.port = url->port;
  endpoint.base_path = std::move(url->path);
  endpoint.server_name = cluster.tls_server_name;
  endpoint.insecure = cluster.insecure;
  return endpoint;
}

/// Data goes into `text`, a file gives a reader of it.
std::unique_ptr<CachedText> Place(const DataOrFile& from, std::string& text,
                                  const Environment& environment, Clock& clock) {
  if (!from.data.empty() || from.file.empty()) {
    text = from.data;
    return nullptr;
  }
  return std::make_unique<CachedText>(from.file, environment, clock);
}

Status CheckUser(const KubeUser& user) {
  if (!user.auth_provider.empty()) {
    return Invalid("auth-provider \"" + user.auth_provider +
                   "\" was removed from Kubernetes in 1.26; use an exec plugin");
  }
  if (user.basic) {
    return Invalid("username and password are not accepted by Kubernetes since 1.19");
  }
  if (user.interactive) {
    return Invalid("exec.interactiveMode is Always, but nobody is there to answer; use Never");
  }
  if (user.certificate.empty() != user.key.empty()) {
    return Invalid("a client certificate needs its key, and a client key its certificate");
  }
  return {};
}

std::shared_ptr<ExecPlugin> PluginOf(const KubeUser& user, const KubeCluster& cluster,
                                     const http::Endpoint& endpoint, const Environment& environment,
                                     Clock& clock) {
  if (!user.exec) return nullptr;
  ExecSpec spec = *user.exec;
  if (user.cluster_info) {
    spec.cluster = {{"server", cluster.server}};
    if (!endpoint.server_name.empty()) spec.cluster["tls-server-name"] = endpoint.server_name;
    if (endpoint.insecure) spec.cluster["insecure-skip-tls-verify"] = true;
    std::string ca = cluster.ca.data;
    if (ca.empty() && !cluster.ca.file.empty()) {
      ca = environment.read_file(cluster.ca.file).value_or("");
    }
    if (!ca.empty()) spec.cluster["certificate-authority-data"] = Base64Encode(ca);
  }
  return std::make_shared<ExecPlugin>(std::move(spec), environment, clock);
}

Expected<std::shared_ptr<Credentials>> CredentialsOf(const KubeUser& user,
                                                     const std::shared_ptr<ExecPlugin>& plugin,
                                                     const Environment& environment, Clock& clock) {
  std::shared_ptr<Credentials> out = std::make_shared<NoCredentials>();
  if (!user.token_file.empty()) {
    out = std::make_shared<TokenFile>(user.token_file, environment, clock);
  } else if (!user.token.empty()) {
    const auto header = BearerHeader(user.token, "the user's token");
    if (!header) return tl::unexpected(header.error());
    out = std::make_shared<StaticCredentials>(http::Headers{{"authorization", *header}});
  } else if (plugin) {
    out = plugin;
  }
  auto impersonation = ImpersonationHeaders(user);
  if (!impersonation) return tl::unexpected(impersonation.error());
  if (impersonation->empty()) return out;
  return std::make_shared<Impersonation>(std::move(out), std::move(*impersonation));
}

template <typename T>
std::string NamesOf(const std::map<std::string, T>& map) {
  std::string names;
  for (const auto& [name, value] : map) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

std::vector<std::string> Split(const std::string& list, char separator) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    if (end > begin) out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Expected<Config> FromFiles(const std::vector<std::string>& paths, bool may_miss,
                           const LoadOptions& options, const Environment& environment,
                           Clock& clock) {
  Kubeconfig merged;
  std::string read;
  for (const auto& path : paths) {
    const auto text = environment.read_file(path);
    if (!text && text.error().code == ErrorCode::kNotFound && may_miss) continue;
    if (!text) return Wrap("kubeconfig", text.error());
    auto one = ParseKubeconfig(*text, path);
    if (!one) return tl::unexpected(one.error());
    Merge(merged, std::move(*one));
    read += (read.empty() ? "" : ":") + path;
  }
  if (read.empty()) return Fail(ErrorCode::kNotFound, "no file of $KUBECONFIG exists");
  auto config = ConfigFromKubeconfig(merged, options.context, environment, clock);
  if (!config) return Wrap("kubeconfig " + read, config.error());
  config->source += " of " + read;
  return config;
}

}  // namespace

Expected<Config> ConfigFromKubeconfig(const Kubeconfig& kubeconfig, const std::string& context,
                                      const Environment& environment, Clock& clock) {
  const std::string& name = context.empty() ? kubeconfig.current_context : context;
  if (name.empty()) return Invalid("there is no current-context; name one with --context");
  const auto chosen = kubeconfig.contexts.find(name);
  if (chosen == kubeconfig.contexts.end()) {
    return Invalid("there is no context \"" + name +
                   "\"; there are: " + NamesOf(kubeconfig.contexts));
  }
  const auto cluster = kubeconfig.clusters.find(chosen->second.cluster);
  if (cluster == kubeconfig.clusters.end()) {
    return Invalid("context \"" + name + "\" names the cluster \"" + chosen->second.cluster +
                   "\", which is not there");
  }
  // A user that is not there means no credentials, as for kubectl.
  const auto found = kubeconfig.users.find(chosen->second.user);
  const KubeUser user = found == kubeconfig.users.end() ? KubeUser{} : found->second;

  auto endpoint = EndpointOf(cluster->second);
  if (!endpoint) return Wrap("cluster \"" + cluster->first + "\"", endpoint.error());
  const std::string whose = "user \"" + chosen->second.user + "\"";
  if (const auto ok = CheckUser(user); !ok) return Wrap(whose, ok.error());

  EndpointSource::Parts parts;
  parts.fixed = std::move(*endpoint);
  parts.ca = Place(cluster->second.ca, parts.fixed.ca_pem, environment, clock);
  parts.certificate = Place(user.certificate, parts.fixed.client_cert_pem, environment, clock);
  parts.key = Place(user.key, parts.fixed.client_key_pem, environment, clock);
  parts.plugin = PluginOf(user, cluster->second, parts.fixed, environment, clock);
  auto credentials = CredentialsOf(user, parts.plugin, environment, clock);
  if (!credentials) return Wrap(whose, credentials.error());
  auto source = std::make_shared<EndpointSource>(std::move(parts));

  Config config;
  config.endpoint = [source] { return source->Get(); };
  config.credentials = std::move(*credentials);
  if (!chosen->second.ns.empty()) config.ns = chosen->second.ns;
  config.source = "context " + name;
  return config;
}

Expected<Config> LoadConfig(const LoadOptions& options, const Environment& environment,
                            Clock& clock) {
  if (!options.kubeconfig.empty()) {
    return FromFiles({options.kubeconfig}, false, options, environment, clock);
  }
  const auto listed = Split(environment.get("KUBECONFIG").value_or(""), ':');
  if (!listed.empty()) return FromFiles(listed, true, options, environment, clock);
  if (InCluster(environment)) return InClusterConfig(environment, clock);
  const std::string home = environment.get("HOME").value_or("");
  const std::string path = home + "/.kube/config";
  if (!home.empty() && environment.read_file(path)) {
    return FromFiles({path}, false, options, environment, clock);
  }
  return Fail(ErrorCode::kNotFound,
              "no cluster is configured: give --kubeconfig, set KUBECONFIG, run in a pod, or have "
              "~/.kube/config");
}

}  // namespace torchsoak::k8s
