#include "operator/k8s/auth/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/auth/fake_environment.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenFileTest : public ::testing::Test {
 protected:
  std::string Token() {
    const auto headers = token.Get({});
    return headers ? headers->at("authorization") : "error: " + headers.error().message;
  }

  std::shared_ptr<FakeWorld> world = std::make_shared<FakeWorld>();
  fakes::FakeClock clock;
  TokenFile token{"/token", EnvironmentOf(world), clock};
};

TEST_F(TokenFileTest, TrimsAndCaches) {
  world->files["/token"] = "\n abc.def-_ \r\n";
  EXPECT_EQ(Token(), "Bearer abc.def-_");
  clock.Advance(seconds(49));
  EXPECT_EQ(Token(), "Bearer abc.def-_");
  EXPECT_EQ(world->reads["/token"], 1);
}

TEST_F(TokenFileTest, ReadsAgainWithinAMinute) {
  world->files["/token"] = "one";
  EXPECT_EQ(Token(), "Bearer one");
  world->files["/token"] = "two";
  clock.Advance(seconds(50));
  EXPECT_EQ(Token(), "Bearer two");
}

TEST_F(TokenFileTest, KeepsTheLastGoodToken) {
  world->files["/token"] = "one";
  EXPECT_EQ(Token(), "Bearer one");
  for (const char* bad : {"", "  \n", "a b", "a\nb"}) {
    world->files["/token"] = bad;
    clock.Advance(seconds(60));
    EXPECT_EQ(Token(), "Bearer one");
  }
  world->files.erase("/token");
  clock.Advance(seconds(60));
  EXPECT_EQ(Token(), "Bearer one");
  world->files["/token"] = "two";
  EXPECT_EQ(Token(), "Bearer two") << "a failed read is tried again at once";
}

TEST_F(TokenFileTest, NothingGoodEverIsAnError) {
  EXPECT_THAT(Token(), HasSubstr("no file /token"));
  world->files["/token"] = " \n";
  EXPECT_THAT(Token(), HasSubstr("empty"));
  world->files["/token"] = "secret value";
  EXPECT_THAT(Token(), HasSubstr("unprintable"));
  EXPECT_THAT(Token(), Not(HasSubstr("secret")));
}

TEST_F(TokenFileTest, RejectedTokenIsReadAgain) {
  world->files["/token"] = "one";
  EXPECT_EQ(Token(), "Bearer one");
  clock.Advance(seconds(1));
  const BootTime start = clock.Boot();
  world->files["/token"] = "two";
  EXPECT_TRUE(token.Reject(start));
  EXPECT_EQ(Token(), "Bearer two");
}

TEST_F(TokenFileTest, ATokenNewerThanTheRequestIsKept) {
  world->files["/token"] = "one";
  const BootTime start = clock.Boot();
  clock.Advance(seconds(1));
  EXPECT_EQ(Token(), "Bearer one");
  EXPECT_TRUE(token.Reject(start));
  EXPECT_EQ(Token(), "Bearer one");
  EXPECT_EQ(world->reads["/token"], 1);
}

TEST_F(TokenFileTest, ARejectedTokenIsNotUsedWhenTheFileIsGone) {
  world->files["/token"] = "one";
  EXPECT_EQ(Token(), "Bearer one");
  world->files.clear();
  token.Reject(clock.Boot());
  EXPECT_THAT(Token(), HasSubstr("error"));
}

}  // namespace
}  // namespace torchsoak::k8s
