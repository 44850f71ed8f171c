#include "operator/k8s/auth/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/auth/fake_environment.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string Simple(const std::string& name, const std::string& user = "{token: t}") {
  return "current-context: " + name + "\nclusters: [{name: c, cluster: {server: \"https://" + name +
         ":6443/base\"}}]\nusers: [{name: u, user: " + user + "}]\ncontexts: [{name: " + name +
         ", context: {cluster: c, user: u, namespace: ns-" + name + "}}]\n";
}

class ConfigTest : public ::testing::Test {
 protected:
  Expected<Config> Load(LoadOptions options = {}) {
    return LoadConfig(options, EnvironmentOf(world), clock);
  }

  /// The host of what is loaded, or the error's message.
  std::string Host(LoadOptions options = {}) {
    const auto config = Load(std::move(options));
    if (!config) return "error: " + config.error().message;
    const auto endpoint = config->endpoint();
    return endpoint ? (*endpoint)->host : "error: " + endpoint.error().message;
  }

  std::string Refusal(const std::string& kubeconfig) {
    world->files["/k"] = kubeconfig;
    const auto config = Load({"/k", ""});
    if (config) return "accepted";
    EXPECT_EQ(config.error().code, ErrorCode::kInvalid);
    return config.error().message;
  }

  void BeInAPod() {
    world->variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    world->variables["KUBERNETES_SERVICE_PORT"] = "443";
    world->files[kAccount + std::string("token")] = "sa-token\n";
    world->files[kAccount + std::string("ca.crt")] = "CA";
    world->files[kAccount + std::string("namespace")] = "team\n";
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  fakes::FakeClock clock;
};

TEST_F(ConfigTest, TheOrderOfPlaces) {
  EXPECT_THAT(Host(), HasSubstr("no cluster is configured"));
  world->variables["HOME"] = "/h";
  EXPECT_THAT(Host(), HasSubstr("no cluster is configured"));
  world->files["/h/.kube/config"] = Simple("home");
  EXPECT_EQ(Host(), "home");
  BeInAPod();
  EXPECT_EQ(Host(), "10.0.0.1");
  world->variables["KUBECONFIG"] = "/env";
  world->files["/env"] = Simple("env");
  EXPECT_EQ(Host(), "env");
  world->files["/flag"] = Simple("flag");
  EXPECT_EQ(Host({"/flag", ""}), "flag");
}

TEST_F(ConfigTest, AFileThatIsNamedMustBeThere) {
  EXPECT_THAT(Host({"/flag", ""}), HasSubstr("/flag"));
  world->variables["KUBECONFIG"] = "/a:/b";
  EXPECT_THAT(Host(), HasSubstr("no file of $KUBECONFIG exists"));
}

TEST_F(ConfigTest, KubeconfigListIsMerged) {
  world->variables["KUBECONFIG"] = "/missing::/a:/b:";
  world->files["/a"] = Simple("first");
  world->files["/b"] = Simple("second");
  const auto config = Load();
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ((*config->endpoint())->host, "first");
  EXPECT_EQ(config->ns, "ns-first");
  EXPECT_EQ(config->source, "context first of /a:/b");
  // The second context's cluster "c" was defined by the first file.
  EXPECT_EQ(Load({"", "second"})->ns, "ns-second");
  EXPECT_EQ(Host({"", "second"}), "first");
}

TEST_F(ConfigTest, AKubeconfigGivesEndpointAndHeaders) {
  world->files["/k"] = Simple("h");
  const auto config = Load({"/k", ""});
  ASSERT_TRUE(config);
  const auto endpoint = *config->endpoint();
  EXPECT_EQ(endpoint->scheme, "https");
  EXPECT_EQ(endpoint->port, 6443);
  EXPECT_EQ(endpoint->base_path, "/base");
  EXPECT_EQ(config->credentials->Get({}).value(), (http::Headers{{"authorization", "Bearer t"}}));
}

TEST_F(ConfigTest, FilesOfAKubeconfigAreReadAgain) {
  world->files["/k"] = R"(
current-context: x
clusters: [{name: c, cluster: {server: "https://h", certificate-authority: ca}}]
users: [{name: u, user: {tokenFile: token, client-certificate: crt, client-key: key}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
)";
  world->files["/ca"] = "CA1";
  world->files["/token"] = "t1";
  world->files["/crt"] = "CRT1";
  world->files["/key"] = "KEY1";
  const auto config = Load({"/k", ""});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ((*config->endpoint())->client_cert_pem, "CRT1");
  EXPECT_EQ(config->credentials->Get({}).value().at("authorization"), "Bearer t1");
  EXPECT_EQ(config->ns, "default");
  for (const char* file : {"/ca", "/token", "/crt", "/key"}) world->files[file].back() = '2';
  clock.Advance(seconds(61));
  EXPECT_EQ((*config->endpoint())->ca_pem, "CA2");
  EXPECT_EQ((*config->endpoint())->client_cert_pem, "CRT2");
  EXPECT_EQ((*config->endpoint())->client_key_pem, "KEY2");
  EXPECT_EQ(config->credentials->Get({}).value().at("authorization"), "Bearer t2");
}

TEST_F(ConfigTest, AUserThatIsNotThereMeansNoCredentials) {
  world->files["/k"] = R"(
clusters: [{name: c, cluster: {server: "http://h"}}]
contexts: [{name: x, context: {cluster: c, user: nobody}}])";
  const auto config = Load({"/k", "x"});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE(config->credentials->Get({}).value().empty());
}

TEST_F(ConfigTest, ImpersonationIsAdded) {
  world->files["/k"] = Simple("h", "{token: t, as: jane, as-groups: [a, b]}");
  EXPECT_EQ(Load({"/k", ""})->credentials->Get({}).value(),
            (http::Headers{{"authorization", "Bearer t"},
                           {"impersonate-user", "jane"},
                           {"impersonate-group", "a\nb"}}));
}

TEST_F(ConfigTest, WhatCannotBeDoneIsSaidInASentence) {
  EXPECT_THAT(Refusal("{}"), HasSubstr("no current-context"));
  EXPECT_THAT(Refusal("current-context: x\ncontexts: [{name: y}]"),
              HasSubstr("no context \"x\"; there are: y"));
  EXPECT_THAT(Refusal("current-context: x\ncontexts: [{name: x, context: {cluster: z}}]"),
              HasSubstr("names the cluster \"z\", which is not there"));
  EXPECT_THAT(Refusal(Simple("h", "{auth-provider: {name: gcp}}")),
              HasSubstr("auth-provider \"gcp\" was removed"));
  EXPECT_THAT(Refusal(Simple("h", "{username: a, password: SECRET}")),
              HasSubstr("username and password are not accepted"));
  EXPECT_THAT(Refusal(Simple("h", "{client-certificate: a}")), HasSubstr("needs its key"));
  EXPECT_THAT(Refusal(Simple("h", "{token: a b}")), HasSubstr("spaces"));
  EXPECT_THAT(Refusal(Simple("h", "{as-groups: [a]}")), HasSubstr("need \"as\""));
  EXPECT_THAT(Refusal(Simple("h",
                             "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x, "
                             "interactiveMode: Always}}")),
              HasSubstr("interactiveMode"));
  const auto cluster = [this](const std::string& text) {
    return Refusal(
        "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\n"
        "clusters: [{name: c, cluster: " +
        text + "}]");
  };
  EXPECT_THAT(cluster("{server: \"https://h\", proxy-url: \"http://p\"}"),
              HasSubstr("proxy-url is not supported"));
  EXPECT_THAT(cluster("{server: \"https://h\", certificate-authority: a, "
                      "insecure-skip-tls-verify: true}"),
              HasSubstr("exclude each other"));
  EXPECT_THAT(cluster("{server: \"h:1\"}"), HasSubstr("there is no scheme"));
  EXPECT_THAT(cluster("{}"), HasSubstr("server address"));
}

TEST_F(ConfigTest, OtherContextsMayUseWhatIsNotSupported) {
  world->files["/k"] = Simple("h") + "preferences: {}\n";
  Kubeconfig config = ParseKubeconfig(world->files["/k"], "/k").value();
  config.clusters["other"].proxy_url = "http://p";
  EXPECT_TRUE(ConfigFromKubeconfig(config, "", EnvironmentOf(world), clock));
}

TEST_F(ConfigTest, InClusterReadsTheServiceAccount) {
  BeInAPod();
  const auto config = Load();
  ASSERT_TRUE(config) << config.error().message;
  const auto endpoint = *config->endpoint();
  EXPECT_EQ(endpoint->scheme, "https");
  EXPECT_EQ(endpoint->host, "10.0.0.1");
  EXPECT_EQ(endpoint->port, 443);
  EXPECT_EQ(endpoint->ca_pem, "CA");
  EXPECT_EQ(config->ns, "team");
  EXPECT_EQ(config->source, "in-cluster");
  EXPECT_EQ(config->credentials->Get({}).value().at("authorization"), "Bearer sa-token");
}

TEST_F(ConfigTest, InClusterUsesTheNameOnIpv6) {
  BeInAPod();
  world->variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(Host(), "kubernetes.default.svc");
}

TEST_F(ConfigTest, InClusterSaysWhatIsMissing) {
  BeInAPod();
  world->variables["KUBERNETES_SERVICE_PORT"] = "tcp://10.0.0.1:443";
  EXPECT_THAT(Host(), HasSubstr("not a port"));
  world->variables["KUBERNETES_SERVICE_PORT"] = "443";
  world->files.erase(kAccount + std::string("token"));
  EXPECT_THAT(Host(), HasSubstr("serviceaccount/token"));
  world->files.erase(kAccount + std::string("ca.crt"));
  EXPECT_THAT(Host(), HasSubstr("serviceaccount/ca.crt"));
}

TEST_F(ConfigTest, InClusterWithoutANamespaceFileIsDefault) {
  BeInAPod();
  world->files.erase(kAccount + std::string("namespace"));
  EXPECT_EQ(Load()->ns, "default");
}

}  // namespace
}  // namespace torchsoak::k8s
