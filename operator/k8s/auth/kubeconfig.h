#pragma once
// The kubeconfig format: what kubectl's users have in ~/.kube/config.
//
// Pure: text in, structs out, no file but its own path is looked at. Reads what a client needs and
// ignores the rest. Foreign text: any input gives a value or an Error, and no secret of it appears
// in a message.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.h"
#include "operator/k8s/auth/exec_plugin.h"

namespace torchsoak::k8s {

/// Given in the file itself or as the path of another file; the former wins.
struct DataOrFile {
  std::string data;  ///< decoded from base64
  std::string file;  ///< absolute, or relative to the working directory when the kubeconfig is
  bool empty() const { return data.empty() && file.empty(); }
};

struct KubeCluster {
  std::string server;
  DataOrFile ca;
  std::string tls_server_name;
  bool insecure = false;
  std::string proxy_url;  ///< not supported by the transport
};

struct KubeUser {
  DataOrFile certificate;
  DataOrFile key;
  std::string token;
  std::string token_file;  ///< wins over `token`
  std::optional<ExecSpec> exec;
  bool interactive = false;   ///< exec.interactiveMode is Always
  bool cluster_info = false;  ///< exec.provideClusterInfo
  bool basic = false;         ///< username and password: no API server takes them any more
  std::string auth_provider;  ///< its name; removed from Kubernetes in 1.26
  std::string as;             ///< impersonated user
  std::string as_uid;
  std::vector<std::string> as_groups;
  std::map<std::string, std::vector<std::string>> as_extra;
};

struct KubeContext {
  std::string cluster;
  std::string user;
  std::string ns;
};

struct Kubeconfig {
  std::map<std::string, KubeCluster> clusters;
  std::map<std::string, KubeUser> users;
  std::map<std::string, KubeContext> contexts;
  std::string current_context;
};

/// `path` is where the text was read: relative paths in it start from that folder. kInvalid with
/// the place ("users[2].user.exec: ...") and what is expected; kTooLarge above 4 MiB.
Expected<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path);

/// What kubectl does with the files of $KUBECONFIG: the first definition of a name stays.
void Merge(Kubeconfig& into, Kubeconfig from);

}  // namespace torchsoak::k8s
