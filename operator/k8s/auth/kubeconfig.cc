#include "operator/k8s/auth/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>

#include "common/base/bytes.h"

namespace torchsoak::k8s {
namespace {

constexpr std::size_t kLargest = 4U << 20U;
constexpr std::size_t kMostEntries = 10'000;

/// Thrown and caught in this file: YAML reading is a tree of small steps that can all fail.
struct Problem {
  std::string text;
};

/// A mapping of the file, its place in it for messages, and its folder for relative paths.
class Section {
 public:
  Section(const YAML::Node& node, std::string place, const std::filesystem::path& folder)
      : node_(node.IsDefined() ? node : YAML::Node()), place_(std::move(place)), folder_(folder) {
    if (!node_.IsNull() && !node_.IsMap()) Complain("must be a mapping");
  }

  [[noreturn]] void Complain(const std::string& what) const {
    throw Problem{(place_.empty() ? "the file" : place_) + ": " + what};
  }

  bool empty() const { return !node_.IsMap() || node_.size() == 0; }

  std::string Place(const char* key) const { return place_.empty() ? key : place_ + "." + key; }

  YAML::Node Raw(const char* key) const {
    if (!node_.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
    const YAML::Node& constant = node_;
    return constant[key];
  }

  Section Sub(const char* key) const { return {Raw(key), Place(key), folder_}; }

  std::string Text(const char* key) const { return TextOf(Raw(key), Place(key)); }

  bool Flag(const char* key) const {
    const std::string text = Text(key);
    if (text.empty() || text == "false") return false;
    if (text != "true") throw Problem{Place(key) + ": must be true or false"};
    return true;
  }

  std::string File(const char* key) const {
    const std::string text = Text(key);
    if (text.empty()) return text;
    const std::filesystem::path path(text);
    return path.is_absolute() ? text : (folder_ / path).lexically_normal().string();
  }

  DataOrFile Data(const char* data_key, const char* file_key) const {
    DataOrFile out{Text(data_key), File(file_key)};
    if (out.data.empty()) return out;
    // Written by hand they are often wrapped.
    std::erase_if(out.data, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
    const auto decoded = Base64Decode(out.data);
    if (!decoded) throw Problem{Place(data_key) + ": is not base64"};
    out.data = *decoded;
    return out;
  }

  std::vector<YAML::Node> List(const char* key) const { return ListOf(Raw(key), Place(key)); }

  std::vector<std::string> Texts(const char* key) const {
    std::vector<std::string> out;
    for (const auto& item : List(key)) out.push_back(TextOf(item, Place(key)));
    return out;
  }

  std::map<std::string, std::vector<std::string>> TextLists(const char* key) const {
    const Section sub = Sub(key);
    std::map<std::string, std::vector<std::string>> out;
    if (sub.empty()) return out;
    for (const auto& entry : sub.node_) {
      const std::string name = TextOf(entry.first, sub.place_);
      for (const auto& item : ListOf(entry.second, sub.place_)) {
        out[name].push_back(TextOf(item, sub.place_));
      }
    }
    return out;
  }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  static std::string TextOf(const YAML::Node& node, const std::string& place) {
    if (!node.IsDefined() || node.IsNull()) return "";
    if (!node.IsScalar()) throw Problem{place + ": must be a text"};
    return node.Scalar();
  }

  static std::vector<YAML::Node> ListOf(const YAML::Node& node, const std::string& place) {
    if (!node.IsDefined() || node.IsNull()) return {};
    if (!node.IsSequence()) throw Problem{place + ": must be a list"};
    if (node.size() > kMostEntries) throw Problem{place + ": has too many entries"};
    std::vector<YAML::Node> items;
    for (const auto& item : node) items.push_back(item);
    return items;
  }

  YAML::Node node_;
  std::string place_;
  const std::filesystem::path& folder_;
};

KubeCluster ReadCluster(const Section& section) {
  KubeCluster cluster;
  cluster.server = section.Text("server");
  cluster.ca = section.Data("certificate-authority-data", "certificate-authority");
  cluster.tls_server_name = section.Text("tls-server-name");
  cluster.insecure = section.Flag("insecure-skip-tls-verify");
  cluster.proxy_url = section.Text("proxy-url");
  return cluster;
}

ExecSpec ReadExec(const Section& section) {
  ExecSpec exec;
  exec.api_version = section.Text("apiVersion");
  if (exec.api_version != "client.authentication.k8s.io/v1" &&
      exec.api_version != "client.authentication.k8s.io/v1beta1") {
    section.Complain("apiVersion must be client.authentication.k8s.io/v1 (or v1beta1)");
  }
  exec.command = section.Text("command");
  if (exec.command.empty()) section.Complain("command is missing");
  // As kubectl does: with a slash it is a file next to the kubeconfig, without one it is in PATH.
  if (exec.command.find('/') != std::string::npos) exec.command = section.File("command");
  exec.args = section.Texts("args");
  exec.install_hint = section.Text("installHint");
  for (const auto& item : section.List("env")) {
    const Section variable(item, section.Place("env"), section.folder());
    const std::string name = variable.Text("name");
    if (name.empty() || name.find('=') != std::string::npos) {
      variable.Complain("name must be the name of an environment variable");
    }
    exec.env.emplace_back(name, variable.Text("value"));
  }
  return exec;
}

KubeUser ReadUser(const Section& section) {
  KubeUser user;
  user.certificate = section.Data("client-certificate-data", "client-certificate");
  user.key = section.Data("client-key-data", "client-key");
  user.token = section.Text("token");
  user.token_file = section.File("tokenFile");
  user.basic = !section.Text("username").empty();
  user.auth_provider = section.Sub("auth-provider").Text("name");
  if (user.auth_provider.empty() && !section.Sub("auth-provider").empty()) {
    user.auth_provider = "?";
  }
  user.as = section.Text("as");
  user.as_uid = section.Text("as-uid");
  user.as_groups = section.Texts("as-groups");
  user.as_extra = section.TextLists("as-user-extra");
  const Section exec = section.Sub("exec");
  if (!exec.empty()) {
    user.exec = ReadExec(exec);
    user.interactive = exec.Text("interactiveMode") == "Always";
    user.cluster_info = exec.Flag("provideClusterInfo");
  }
  return user;
}

KubeContext ReadContext(const Section& section) {
  return {section.Text("cluster"), section.Text("user"), section.Text("namespace")};
}

/// A list of {name: ..., <key>: {...}}.
template <typename T>
std::map<std::string, T> ReadNamed(const Section& file, const char* list, const char* key,
                                   T (*read)(const Section&)) {
  std::map<std::string, T> out;
  int index = 0;
  for (const auto& item : file.List(list)) {
    const std::string place = std::string(list) + "[" + std::to_string(index++) + "]";
    const Section entry(item, place, file.folder());
    const std::string name = entry.Text("name");
    if (!name.empty()) out.emplace(name, read(entry.Sub(key)));
  }
  return out;
}

}  // namespace

Expected<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& path) {
  const auto bad = [&](const std::string& what) {
    return Fail(ErrorCode::kInvalid, "kubeconfig " + path + ": " + what);
  };
  if (text.size() > kLargest) {
    return Fail(ErrorCode::kTooLarge, "kubeconfig " + path + " has more than 4 MiB");
  }
  try {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const Section file(YAML::Load(std::string(text)), "", folder);
    Kubeconfig out;
    out.clusters = ReadNamed<KubeCluster>(file, "clusters", "cluster", ReadCluster);
    out.users = ReadNamed<KubeUser>(file, "users", "user", ReadUser);
    out.contexts = ReadNamed<KubeContext>(file, "contexts", "context", ReadContext);
    out.current_context = file.Text("current-context");
    return out;
  } catch (const Problem& problem) {
    return bad(problem.text);
  } catch (const YAML::ParserException& e) {
    return bad("line " + std::to_string(e.mark.line + 1) + ": " + e.msg);
  } catch (const std::exception&) {
    // The library's other messages may quote the text.
    return bad("is not YAML of the expected form");
  }
}

void Merge(Kubeconfig& into, Kubeconfig from) {
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
  if (into.current_context.empty()) into.current_context = from.current_context;
}

}  // namespace torchsoak::k8s
