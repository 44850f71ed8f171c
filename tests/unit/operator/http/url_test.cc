#include "operator/http/url.h"

#include <gtest/gtest.h>

namespace torchsoak::http {
namespace {

TEST(Url, EscapesAllButUnreservedCharacters) {
  EXPECT_EQ(Escape("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(Escape("a/b c+d=e&f%g,h\n\xC3\xA4"), "a%2Fb%20c%2Bd%3De%26f%25g%2Ch%0A%C3%A4");
}

TEST(Url, BuildsTargets) {
  EXPECT_EQ(Target({}), "/");
  EXPECT_EQ(Target({"api", "v1", "pods"}), "/api/v1/pods");
  EXPECT_EQ(Target({"a b", "c/d"}, {{"labelSelector", "app=x,tier!=y"}, {"limit", "500"}}),
            "/a%20b/c%2Fd?labelSelector=app%3Dx%2Ctier%21%3Dy&limit=500");
}

struct Good {
  const char* text;
  ServerUrl expected;
};

class GoodServerUrl : public ::testing::TestWithParam<Good> {};

TEST_P(GoodServerUrl, IsTakenApart) {
  const auto url = ParseServerUrl(GetParam().text);
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->scheme, GetParam().expected.scheme);
  EXPECT_EQ(url->host, GetParam().expected.host);
  EXPECT_EQ(url->port, GetParam().expected.port);
  EXPECT_EQ(url->path, GetParam().expected.path);
}

INSTANTIATE_TEST_SUITE_P(
    Url, GoodServerUrl,
    ::testing::Values(Good{"https://api.example.com", {"https", "api.example.com", 443, ""}},
                      Good{"https://API.example.com:6443/", {"https", "api.example.com", 6443, ""}},
                      Good{"http://127.0.0.1:8001", {"http", "127.0.0.1", 8001, ""}},
                      Good{"http://localhost", {"http", "localhost", 80, ""}},
                      Good{"https://[fd00::1]:6443", {"https", "fd00::1", 6443, ""}},
                      Good{"https://[::1]", {"https", "::1", 443, ""}},
                      Good{"https://rancher.example/k8s/clusters/c-1//",
                           {"https", "rancher.example", 443, "/k8s/clusters/c-1"}}));

class BadServerUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(BadServerUrl, IsRefused) {
  const auto url = ParseServerUrl(GetParam());
  ASSERT_FALSE(url);
  EXPECT_EQ(url.error().code, ErrorCode::kInvalid);
}

INSTANTIATE_TEST_SUITE_P(Url, BadServerUrl,
                         ::testing::Values("", "localhost:8080", "ftp://a", "https://",
                                           "https:///a", "https://a:0", "https://a:65536",
                                           "https://a:b", "https://a:", "https://fd00::1",
                                           "https://[fd00::1", "https://[x]:1", "https://[::1]1",
                                           "https://a b", "https://a/?q=1", "https://a/#f",
                                           "https://a\r\nHost: b", "https://a/\"",
                                           "https://u:p@a"));

TEST(Url, RefusalDoesNotRepeatThePassword) {
  for (const char* text : {"https://u:secret@host", "https://u:secret/x@host", "u:secret@host"}) {
    EXPECT_EQ(ParseServerUrl(text).error().message.find("secret"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace torchsoak::http
