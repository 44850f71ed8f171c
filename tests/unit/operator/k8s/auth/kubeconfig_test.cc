#include "operator/k8s/auth/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kPath = "/home/u/.kube/config";

// "Q0E=" is CA, "Q0VSVA==" is CERT, "S0VZ" is KEY.
constexpr const char* kFull = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: one
clusters:
- name: c1
  cluster:
    server: https://h:6443
    certificate-authority-data: Q0E=
    tls-server-name: k
- name: c2
  cluster:
    server: https://h2
    certificate-authority: pki/ca.crt
    insecure-skip-tls-verify: true
    proxy-url: socks5://p
users:
- name: u1
  user:
    client-certificate-data: Q0VS
      VA==
    client-key-data: S0VZ
    token: 12345
- name: u2
  user:
    client-certificate: ../c.crt
    client-key: /abs/c.key
    tokenFile: token
    as: jane
    as-uid: 7
    as-groups: [a, b]
    as-user-extra: {scopes: [x, y]}
- name: u3
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/plugin
      args: [a, "b c", 3]
      env: [{name: REGION, value: eu}]
      installHint: get it
      interactiveMode: Always
      provideClusterInfo: true
- name: u4
  user: {username: x, password: y, auth-provider: {name: gcp}}
contexts:
- name: one
  context: {cluster: c1, user: u1, namespace: team}
- name: two
  context: {cluster: c2, user: u2}
)";

Kubeconfig Parse(const std::string& text) {
  auto config = ParseKubeconfig(text, kPath);
  EXPECT_TRUE(config) << (config ? "" : config.error().message);
  return config ? *config : Kubeconfig{};
}

TEST(Kubeconfig, ReadsClustersAndContexts) {
  const Kubeconfig config = Parse(kFull);
  EXPECT_EQ(config.current_context, "one");
  const KubeCluster& c1 = config.clusters.at("c1");
  EXPECT_EQ(c1.server, "https://h:6443");
  EXPECT_EQ(c1.ca.data, "CA");
  EXPECT_EQ(c1.tls_server_name, "k");
  EXPECT_FALSE(c1.insecure);
  const KubeCluster& c2 = config.clusters.at("c2");
  EXPECT_EQ(c2.ca.file, "/home/u/.kube/pki/ca.crt");
  EXPECT_TRUE(c2.insecure);
  EXPECT_EQ(c2.proxy_url, "socks5://p");
  EXPECT_EQ(config.contexts.at("one").ns, "team");
  EXPECT_EQ(config.contexts.at("two").cluster, "c2");
  EXPECT_EQ(config.contexts.at("two").user, "u2");
}

TEST(Kubeconfig, ReadsUsers) {
  const Kubeconfig config = Parse(kFull);
  const KubeUser& u1 = config.users.at("u1");
  EXPECT_EQ(u1.certificate.data, "CERT");
  EXPECT_EQ(u1.key.data, "KEY");
  EXPECT_EQ(u1.token, "12345");
  const KubeUser& u2 = config.users.at("u2");
  EXPECT_EQ(u2.certificate.file, "/home/u/c.crt");
  EXPECT_EQ(u2.key.file, "/abs/c.key");
  EXPECT_EQ(u2.token_file, "/home/u/.kube/token");
  EXPECT_EQ(u2.as, "jane");
  EXPECT_EQ(u2.as_uid, "7");
  EXPECT_THAT(u2.as_groups, ElementsAre("a", "b"));
  EXPECT_THAT(u2.as_extra.at("scopes"), ElementsAre("x", "y"));
  const KubeUser& u3 = config.users.at("u3");
  ASSERT_TRUE(u3.exec);
  EXPECT_EQ(u3.exec->command, "/home/u/.kube/bin/plugin");
  EXPECT_THAT(u3.exec->args, ElementsAre("a", "b c", "3"));
  EXPECT_THAT(u3.exec->env, ElementsAre(Pair("REGION", "eu")));
  EXPECT_EQ(u3.exec->install_hint, "get it");
  EXPECT_TRUE(u3.interactive);
  EXPECT_TRUE(u3.cluster_info);
  EXPECT_TRUE(config.users.at("u4").basic);
  EXPECT_EQ(config.users.at("u4").auth_provider, "gcp");
}

TEST(Kubeconfig, ACommandWithoutASlashIsLeftForPath) {
  const Kubeconfig config = Parse(R"(
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}}]
)");
  EXPECT_EQ(config.users.at("u").exec->command, "aws");
}

TEST(Kubeconfig, ReadsJsonToo) {
  EXPECT_EQ(Parse(R"({"clusters":[{"name":"c","cluster":{"server":"https://h"}}]})")
                .clusters.at("c")
                .server,
            "https://h");
}

TEST(Kubeconfig, EmptyAndNullPartsAreNothing) {
  for (const char* text :
       {"", "---", "null", "{}", "clusters:\nusers: null\ncontexts: []", "clusters: [{name: c}]",
        "users: [{name: u, user: }]", "clusters: [{cluster: {server: x}}]"}) {
    EXPECT_TRUE(ParseKubeconfig(text, kPath)) << text;
  }
}

TEST(Kubeconfig, TheFirstOfANameStays) {
  Kubeconfig first = Parse(R"(
clusters: [{name: a, cluster: {server: first}}, {name: a, cluster: {server: again}}])");
  Merge(first, Parse(R"(
current-context: x
clusters: [{name: a, cluster: {server: second}}, {name: b, cluster: {server: third}}])"));
  Merge(first, Parse("current-context: y"));
  EXPECT_EQ(first.clusters.at("a").server, "first");
  EXPECT_EQ(first.clusters.at("b").server, "third");
  EXPECT_EQ(first.current_context, "x");
}

struct Bad {
  const char* text;
  const char* message;
};

class BadKubeconfig : public ::testing::TestWithParam<Bad> {};

TEST_P(BadKubeconfig, IsRefusedWithThePlace) {
  const auto config = ParseKubeconfig(GetParam().text, kPath);
  ASSERT_FALSE(config) << GetParam().text;
  EXPECT_EQ(config.error().code, ErrorCode::kInvalid);
  EXPECT_THAT(config.error().message, HasSubstr(GetParam().message));
  EXPECT_THAT(config.error().message, HasSubstr(kPath));
  EXPECT_THAT(config.error().message, Not(HasSubstr("SECRET")));
}

INSTANTIATE_TEST_SUITE_P(
    Kubeconfig, BadKubeconfig,
    ::testing::Values(
        Bad{"SECRET", "the file: must be a mapping"},
        Bad{"[SECRET]", "the file: must be a mapping"}, Bad{"a: [SECRET", "line "},
        Bad{"\tSECRET: 1", "line "}, Bad{"a: *SECRET", "line "},
        Bad{"clusters: SECRET", "clusters: must be a list"},
        Bad{"clusters: [SECRET]", "clusters[0]: must be a mapping"},
        Bad{"users: [{}, {name: u, user: SECRET}]", "users[1].user: must be a mapping"},
        Bad{"users: [{name: u, user: {token: [SECRET]}}]", "users[0].user.token: must be a text"},
        Bad{"users: [{name: u, user: {as-groups: SECRET}}]", "as-groups: must be a list"},
        Bad{"users: [{name: u, user: {client-key-data: SECRET!}}]",
            "client-key-data: is not base64"},
        Bad{"clusters: [{name: c, cluster: {insecure-skip-tls-verify: SECRET}}]",
            "must be true or false"},
        Bad{"users: [{name: u, user: {exec: {command: SECRET}}}]", "exec: apiVersion must be"},
        Bad{"users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1}}}]",
            "command is missing"},
        Bad{"users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
            "command: x, env: [{name: A=B}]}}}]",
            "environment variable"}));

TEST(Kubeconfig, HostileTextIsAnErrorOrAValue) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  bomb += "clusters: *a29\n";
  EXPECT_FALSE(ParseKubeconfig(bomb, kPath));
  EXPECT_FALSE(ParseKubeconfig(std::string(200'000, '['), kPath));
  EXPECT_FALSE(ParseKubeconfig(std::string(200'000, '{'), kPath));
  EXPECT_FALSE(ParseKubeconfig("clusters: &c [*c]", kPath));
  EXPECT_FALSE(ParseKubeconfig(std::string(5U << 20U, 'x'), kPath));
  std::string many = "users: [";
  for (int i = 0; i < 20'000; ++i) many += "{},";
  EXPECT_FALSE(ParseKubeconfig(many + "]", kPath));
  (void)ParseKubeconfig(std::string("a\0b: c\xFF\xFE", 8), kPath);
}

TEST(Kubeconfig, EveryPrefixIsAnErrorOrAValue) {
  const std::string text = kFull;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto config = ParseKubeconfig(text.substr(0, size), kPath);
    ASSERT_TRUE(config || !config.error().message.empty()) << size;
  }
}

}  // namespace
}  // namespace torchsoak::k8s
