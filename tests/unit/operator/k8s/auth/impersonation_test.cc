#include "operator/k8s/auth/impersonation.h"

#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

TEST(Impersonation, MakesHeaders) {
  KubeUser user;
  EXPECT_TRUE(ImpersonationHeaders(user).value().empty());
  user.as = "jane";
  user.as_uid = "7";
  user.as_groups = {"dev", "system:authenticated"};
  user.as_extra = {{"Example.org/Project", {"a", "b"}}};
  EXPECT_EQ(ImpersonationHeaders(user).value(),
            (http::Headers{{"impersonate-user", "jane"},
                           {"impersonate-uid", "7"},
                           {"impersonate-group", "dev\nsystem:authenticated"},
                           {"impersonate-extra-example.org%2fproject", "a\nb"}}));
}

TEST(Impersonation, RefusesGroupsWithoutAUserAndHostileValues) {
  KubeUser user;
  user.as_groups = {"dev"};
  EXPECT_FALSE(ImpersonationHeaders(user));
  user.as = "jane";
  EXPECT_TRUE(ImpersonationHeaders(user));
  user.as_groups = {"dev\nauthorization: x"};
  EXPECT_FALSE(ImpersonationHeaders(user));
  user.as_groups = {""};
  EXPECT_FALSE(ImpersonationHeaders(user));
}

TEST(Impersonation, IsAddedToTheInnerHeaders) {
  auto inner = std::make_shared<StaticCredentials>(http::Headers{{"authorization", "Bearer t"}});
  Impersonation impersonation(inner, {{"impersonate-user", "jane"}});
  EXPECT_EQ(impersonation.Get({}).value(),
            (http::Headers{{"authorization", "Bearer t"}, {"impersonate-user", "jane"}}));
  EXPECT_FALSE(impersonation.Reject(BootTime{}));
}

}  // namespace
}  // namespace torchsoak::k8s
