#include "operator/k8s/rest_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ResourceType kPods{"", "v1", "pods", "Pod"};
const ResourceType kTests{"torchsoak.dev", "v1alpha1", "stresstests", "StressTest"};

TEST(RestRequests, ExactTargets) {
  EXPECT_EQ(ResourceTarget(kPods, {"", ""}), "/api/v1/pods");
  EXPECT_EQ(ResourceTarget(kPods, {"n", ""}), "/api/v1/namespaces/n/pods");
  EXPECT_EQ(ResourceTarget(kPods, {"n", "p"}), "/api/v1/namespaces/n/pods/p");
  EXPECT_EQ(
      ResourceTarget(kTests, {"n", "t"}, "status", WriteQuery(false)),
      "/apis/torchsoak.dev/v1alpha1/namespaces/n/stresstests/t/status?fieldManager=torchsoak");
  EXPECT_EQ(ResourceTarget({"", "v1", "nodes", "Node"}, {"", "gpu 1"}), "/api/v1/nodes/gpu%201");
}

TEST(RestRequests, ExactListQuery) {
  ListOptions options;
  EXPECT_EQ(ResourceTarget(kPods, {"n", ""}, "", ListQuery(options)),
            "/api/v1/namespaces/n/pods?limit=500");
  options.label_selector = "app=x,tier in (a,b)";
  options.field_selector = "spec.nodeName=n1";
  options.limit = 10;
  options.continue_token = "eyJ2/+==";
  EXPECT_EQ(ResourceTarget(kPods, {"", ""}, "", ListQuery(options)),
            "/api/v1/pods?labelSelector=app%3Dx%2Ctier%20in%20%28a%2Cb%29"
            "&fieldSelector=spec.nodeName%3Dn1&limit=10&continue=eyJ2%2F%2B%3D%3D");
}

TEST(RestRequests, ExactWatchQuery) {
  ListOptions options;
  options.label_selector = "a=b";
  options.continue_token = "left over";
  EXPECT_EQ(ResourceTarget(kPods, {"n", ""}, "", WatchQuery(options, ResourceVersion("42"), 300)),
            "/api/v1/namespaces/n/pods?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true"
            "&resourceVersion=42&timeoutSeconds=300");
}

TEST(RestRequests, ExactLogQuery) {
  LogOptions options;
  EXPECT_EQ(ResourceTarget(kPods, {"n", "p"}, "log", LogQuery(options)),
            "/api/v1/namespaces/n/pods/p/log?container=runner&limitBytes=8388608");
  options.tail_lines = 20;
  options.limit_bytes = 0;
  options.follow = true;
  EXPECT_EQ(ResourceTarget(kPods, {"n", "p"}, "log", LogQuery(options)),
            "/api/v1/namespaces/n/pods/p/log?container=runner&tailLines=20&follow=true");
}

TEST(RestRequests, StrictWrites) {
  EXPECT_EQ(http::Target({"x"}, WriteQuery(true)),
            "/x?fieldManager=torchsoak&fieldValidation=Strict");
}

TEST(RestRequests, DeleteCarriesThePreconditions) {
  DeleteOptions options;
  options.uid = "u";
  EXPECT_EQ(DeleteBody(options),
            Json::parse(R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u"},
                            "propagationPolicy":"Foreground"})"));
  options.propagation = "Background";
  options.grace_seconds = 0;
  EXPECT_EQ(DeleteBody(options)["propagationPolicy"], "Background");
  EXPECT_EQ(DeleteBody(options)["gracePeriodSeconds"], 0);
}

TEST(RestRequests, NamesThatWouldChangeThePathAreRefused) {
  EXPECT_TRUE(CheckKey({"n", "p"}));
  EXPECT_TRUE(CheckKey({"", "p.q-1"}));
  for (const ObjectKey& key :
       {ObjectKey{"n", ""}, ObjectKey{"n", "."}, ObjectKey{"n", ".."}, ObjectKey{"..", "p"},
        ObjectKey{"n", "a/b"}, ObjectKey{"n", "a%2F"}}) {
    EXPECT_FALSE(CheckKey(key)) << key.ToString();
  }
}

TEST(RestRequests, ParsesWarnings) {
  EXPECT_THAT(ParseWarnings(R"(299 - "a is \"old\", use b")"), ElementsAre(R"(a is "old", use b)"));
  EXPECT_THAT(
      ParseWarnings(R"(299 - "one", 299 api "two" "Sat, 25 Aug 2012 23:34:45 GMT",299 - "3")"),
      ElementsAre("one", "two", "3"));
  for (const char* text :
       {"", "299", "299 -", "299 - text", "299 - \"open", "2999 - \"x\"", ",,,"}) {
    EXPECT_THAT(ParseWarnings(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace torchsoak::k8s
