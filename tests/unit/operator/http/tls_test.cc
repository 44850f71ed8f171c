// Who is trusted, and who we are, over TLS.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/http/tls.h"
#include "tests/unit/operator/http/environment.h"
#include "tests/unit/operator/http/transport_fixture.h"

namespace torchsoak::http {
namespace {

using ::testing::HasSubstr;

const Pair& Authority() {
  static const Pair authority = MakeCertificate({.name = "our authority", .ca = true});
  return authority;
}

ServerTls Tls(const CertificateSpec& spec, const Pair& issuer = Authority()) {
  return {MakeCertificate(spec, &issuer), "", false};
}

const CertificateSpec kLoopback{.dns = {"localhost"}, .ips = {"127.0.0.1", "::1"}};

Expected<Response> Ask(const Endpoint& endpoint) {
  CpprestTransport transport(Fixed(endpoint));
  return transport.Send(Get(), kLong, {});
}

TEST(Tls, TrustsTheNamedAuthority) {
  const ServerTls tls = Tls(kLoopback);
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  const auto response = Ask(Secure(server.port(), Authority().certificate));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
}

TEST(Tls, TrustsTheSystemOnlyWhenNoAuthorityIsNamed) {
  const ServerTls tls = Tls(kLoopback, SystemAuthority());
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  EXPECT_TRUE(Ask(Secure(server.port(), "")));
  const auto refused = Ask(Secure(server.port(), Authority().certificate));
  EXPECT_EQ(CodeOf(refused), ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("unable to get local issuer certificate"));
}

TEST(Tls, TrustsAnIntermediateAuthorityAsItIs) {
  const Pair intermediate = MakeCertificate({.name = "intermediate", .ca = true}, &Authority());
  const ServerTls tls = Tls(kLoopback, intermediate);
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  const auto response = Ask(Secure(server.port(), intermediate.certificate));
  EXPECT_TRUE(response) << response.error().message;
}

TEST(Tls, RefusesACertificateOfAnotherHost) {
  const ServerTls tls = Tls({.dns = {"other.example"}, .ips = {"127.0.0.2"}});
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  const auto refused = Ask(Secure(server.port(), Authority().certificate));
  EXPECT_EQ(CodeOf(refused), ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("not for this host name"));
}

TEST(Tls, VerifiesTheServerNameWhenThereIsOne) {
  const ServerTls tls = Tls({.dns = {"kubernetes.default.svc"}});
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  Endpoint endpoint = Secure(server.port(), Authority().certificate);
  EXPECT_FALSE(Ask(endpoint));
  endpoint.server_name = "kubernetes.default.svc";
  EXPECT_TRUE(Ask(endpoint));
  endpoint.server_name = "other.default.svc";
  EXPECT_FALSE(Ask(endpoint));
}

TEST(Tls, RefusesAnExpiredCertificateInWords) {
  CertificateSpec spec = kLoopback;
  spec.expired = true;
  const ServerTls tls = Tls(spec);
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  const auto refused = Ask(Secure(server.port(), Authority().certificate));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("certificate has expired"));
}

TEST(Tls, InsecureTakesAnything) {
  const ServerTls tls = Tls({.name = "nobody"});
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  Endpoint endpoint = Secure(server.port(), "");
  EXPECT_FALSE(Ask(endpoint));
  endpoint.insecure = true;
  EXPECT_TRUE(Ask(endpoint));
}

TEST(Tls, RefusesOldProtocols) {
  ServerTls tls = Tls(kLoopback);
  tls.only_tls11 = true;
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  EXPECT_EQ(CodeOf(Ask(Secure(server.port(), Authority().certificate))), ErrorCode::kUnavailable);
}

TEST(Tls, ShowsTheClientCertificate) {
  ServerTls tls = Tls(kLoopback);
  tls.client_ca_pem = Authority().certificate;
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  Endpoint endpoint = Secure(server.port(), Authority().certificate);
  EXPECT_FALSE(Ask(endpoint));
  const Pair client = MakeCertificate({.name = "client"}, &Authority());
  endpoint.client_cert_pem = client.certificate;
  endpoint.client_key_pem = client.key;
  const auto response = Ask(endpoint);
  EXPECT_TRUE(response) << response.error().message;
}

TEST(Tls, ReachesIpv6Literals) {
  const ServerTls tls = Tls(kLoopback);
  LoopbackServer server(Always("200 OK", "{}"), &tls, true);
  Endpoint endpoint = Secure(server.port(), Authority().certificate);
  endpoint.host = "::1";
  const auto response = Ask(endpoint);
  EXPECT_TRUE(response) << response.error().message;
}

TEST(Tls, ADamagedNewAuthorityLeavesTheOldOneInUse) {
  const ServerTls tls = Tls(kLoopback);
  LoopbackServer server(Always("200 OK", "{}"), &tls);
  auto current = std::make_shared<const Endpoint>(Secure(server.port(), Authority().certificate));
  std::vector<std::string> problems;
  CpprestOptions options;
  options.on_problem = [&](const std::string& problem) { problems.push_back(problem); };
  CpprestTransport transport([&]() -> Expected<std::shared_ptr<const Endpoint>> { return current; },
                             options);
  ASSERT_TRUE(transport.Send(Get(), kLong, {}));
  current = std::make_shared<const Endpoint>(
      Secure(server.port(), Authority().certificate.substr(0, 200)));
  EXPECT_TRUE(transport.Send(Get(), kLong, {}));
  EXPECT_TRUE(transport.Send(Get(), kLong, {}));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("not a list of PEM certificates"));
}

TEST(Tls, ARotatedAuthorityIsUsedForTheNextRequest) {
  const Pair next = MakeCertificate({.name = "next authority", .ca = true});
  const ServerTls old_tls = Tls(kLoopback);
  const ServerTls new_tls = Tls(kLoopback, next);
  LoopbackServer old_server(Always("200 OK", "old"), &old_tls);
  LoopbackServer new_server(Always("200 OK", "new"), &new_tls);
  auto current =
      std::make_shared<const Endpoint>(Secure(old_server.port(), Authority().certificate));
  CpprestTransport transport(
      [&]() -> Expected<std::shared_ptr<const Endpoint>> { return current; });
  EXPECT_EQ(transport.Send(Get(), kLong, {}).value().body, "old");
  current = std::make_shared<const Endpoint>(
      Secure(new_server.port(), Authority().certificate + next.certificate));
  EXPECT_EQ(transport.Send(Get(), kLong, {}).value().body, "new");
}

struct BadMaterial {
  const char* name;
  std::string ca;
  std::string certificate;
  std::string key;
  const char* message;
};

TEST(Tls, DamagedMaterialIsAnErrorAndNeverNoCertificate) {
  const Pair a = MakeCertificate({.name = "a"});
  const Pair b = MakeCertificate({.name = "b"});
  const std::string cut = a.certificate.substr(0, a.certificate.size() / 2);
  for (const BadMaterial& bad : {
           BadMaterial{"text", "not PEM", "", "", "authority"},
           BadMaterial{"cut", cut, "", "", "authority"},
           BadMaterial{"one good, one cut", a.certificate + cut, "", "", "authority"},
           BadMaterial{"key as CA", a.key, "", "", "authority"},
           BadMaterial{"no key", "", a.certificate, "", "needs its key"},
           BadMaterial{"no certificate", "", "", a.key, "needs its key"},
           BadMaterial{"cut certificate", "", cut, a.key, "client certificate"},
           BadMaterial{"bad key", "", a.certificate, "x", "client key"},
           BadMaterial{"other key", "", a.certificate, b.key, "does not belong"},
       }) {
    Endpoint endpoint;
    endpoint.ca_pem = bad.ca;
    endpoint.client_cert_pem = bad.certificate;
    endpoint.client_key_pem = bad.key;
    const auto material = TlsMaterial::Parse(endpoint);
    ASSERT_FALSE(material) << bad.name;
    EXPECT_EQ(material.error().code, ErrorCode::kInvalid) << bad.name;
    EXPECT_THAT(material.error().message, HasSubstr(bad.message)) << bad.name;
    EXPECT_THAT(material.error().message, ::testing::Not(HasSubstr("PRIVATE"))) << bad.name;
  }
}

TEST(Tls, CommentsAroundCertificatesAreFine) {
  Endpoint endpoint;
  endpoint.ca_pem = "# ours\n" + Authority().certificate + "\n# the system's\n" +
                    SystemAuthority().certificate + "\nend\n";
  EXPECT_TRUE(TlsMaterial::Parse(endpoint));
}

}  // namespace
}  // namespace torchsoak::http
