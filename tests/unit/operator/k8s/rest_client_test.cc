// The client's decisions, on a scripted transport and a clock of the test's.

#include "operator/k8s/rest_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/version.h"
#include "tests/unit/operator/k8s/rest_client_fixture.h"

namespace torchsoak::k8s {
namespace {

using ::testing::ElementsAre;

TEST_F(RestClientTest, GetSendsWhoWeAre) {
  transport.Add(200, R"({"kind":"Job"})");
  const auto job = client().Get(kJobs, kKey, {});
  ASSERT_TRUE(job);
  EXPECT_EQ((*job)["kind"], "Job");
  const http::Request& request = transport.requests.at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/apis/batch/v1/namespaces/n/jobs/j");
  EXPECT_EQ(request.headers.at("accept"), "application/json");
  EXPECT_EQ(request.headers.at("authorization"), "token-1");
  EXPECT_EQ(request.headers.at("user-agent"), std::string("torchsoak/") + kVersion);
  EXPECT_EQ(request.content_type, "");
  EXPECT_THAT(seen, ElementsAre("get 200"));
}

TEST_F(RestClientTest, ListGivesPagesWithKindsFilledIn) {
  transport.Add(200, R"({"metadata":{"resourceVersion":"9","continue":"more"},
                         "items":[{"metadata":{"name":"a"}},{"kind":"Own","apiVersion":"x/v1"}]})");
  const auto page = client().List(kJobs, "n", {}, {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->version.text(), "9");
  EXPECT_EQ(page->next, "more");
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[0]["kind"], "Job");
  EXPECT_EQ(page->items[0]["apiVersion"], "batch/v1");
  EXPECT_EQ(page->items[1]["kind"], "Own");
  EXPECT_EQ(transport.requests[0].target, "/apis/batch/v1/namespaces/n/jobs?limit=500");
}

TEST_F(RestClientTest, ListOfNothingAndListsThatAreNone) {
  transport.Add(200, R"({"metadata":{"resourceVersion":"9"},"items":null})");
  EXPECT_TRUE(client().List(kJobs, "", {}, {}).value().items.empty());
  for (const char* body : {R"({"items":3})", R"({"items":[3]})", "[]", "not JSON", ""}) {
    transport.Add(200, body);
    const auto page = client().List(kJobs, "", {}, {});
    ASSERT_FALSE(page) << body;
    EXPECT_EQ(page.error().code, ErrorCode::kDataLoss) << body;
  }
}

TEST_F(RestClientTest, WritesSayWhoTheManagerIs) {
  options.strict = true;
  const Json job = Json::parse(R"({"metadata":{"name":"j","uid":"u","resourceVersion":"5"}})");
  for (int i = 0; i < 4; ++i) transport.Add(200, "{}");
  EXPECT_TRUE(client().Create(kJobs, "n", job, {}));
  EXPECT_TRUE(client().Update(kJobs, kKey, job, {}));
  EXPECT_TRUE(client().ApplyStatus(kJobs, kKey, job, {}));
  EXPECT_TRUE(client().MergePatch(kJobs, kKey, job, {}));
  const std::string base = "/apis/batch/v1/namespaces/n/jobs";
  const std::string query = "?fieldManager=torchsoak&fieldValidation=Strict";
  const auto line = [&](int i) {
    const http::Request& request = transport.requests[static_cast<std::size_t>(i)];
    EXPECT_EQ(Json::parse(request.body), job);
    return request.method + " " + request.target + " " + request.content_type;
  };
  EXPECT_EQ(line(0), "POST " + base + query + " application/json");
  EXPECT_EQ(line(1), "PUT " + base + "/j" + query + " application/json");
  EXPECT_EQ(line(2),
            "PATCH " + base + "/j/status" + query + "&force=true application/apply-patch+yaml");
  EXPECT_EQ(line(3), "PATCH " + base + "/j" + query + " application/merge-patch+json");
  EXPECT_THAT(seen, ElementsAre("create 200", "update 200", "apply 200", "patch 200"));
}

TEST_F(RestClientTest, ApplyWithoutUidOrVersionIsNotSent) {
  for (const char* patch :
       {"{}", R"({"metadata":{"uid":"u"}})", R"({"metadata":{"resourceVersion":"5"}})"}) {
    const auto applied = client().ApplyStatus(kJobs, kKey, Json::parse(patch), {});
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, ErrorCode::kInvalid);
  }
  EXPECT_TRUE(transport.requests.empty());
}

TEST_F(RestClientTest, ErrorsSayWhatWasTried) {
  transport.Add(404, R"({"kind":"Status","reason":"NotFound","message":"jobs \"j\" not found"})");
  const auto got = client().Get(kJobs, kKey, {});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(got.error().message, "reading Job n/j: HTTP 404 NotFound: jobs \"j\" not found");
}

TEST_F(RestClientTest, AWriteWithAnUnreadableAnswerIsUnknown) {
  transport.Add(201, "<html>");
  EXPECT_EQ(CreateCode(), ErrorCode::kUnknown);
}

TEST_F(RestClientTest, DeleteNeedsAUidAndSendsIt) {
  EXPECT_EQ(client().Delete(kJobs, kKey, {}, {}).error().code, ErrorCode::kInvalid);
  transport.Add(200, R"({"kind":"Status","status":"Success"})");
  DeleteOptions wanted;
  wanted.uid = "u";
  EXPECT_TRUE(client().Delete(kJobs, kKey, wanted, {}));
  EXPECT_EQ(transport.requests[0].method, "DELETE");
  EXPECT_EQ(Json::parse(transport.requests[0].body)["preconditions"]["uid"], "u");
}

TEST_F(RestClientTest, DeleteOfWhatIsGoneOrReplacedIsSuccess) {
  DeleteOptions wanted;
  wanted.uid = "u";
  const std::string conflict = R"({"kind":"Status","reason":"Conflict"})";
  transport.Add(404, "");
  EXPECT_TRUE(client().Delete(kJobs, kKey, wanted, {}));
  transport.Add(409, conflict);
  transport.Add(200, R"({"metadata":{"uid":"another"}})");
  EXPECT_TRUE(client().Delete(kJobs, kKey, wanted, {}));
  transport.Add(409, conflict);
  transport.Add(404, "");
  EXPECT_TRUE(client().Delete(kJobs, kKey, wanted, {}));
  transport.Add(409, conflict);
  transport.Add(200, R"({"metadata":{"uid":"u"}})");
  const auto kept = client().Delete(kJobs, kKey, wanted, {});
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, ErrorCode::kConflict);
}

TEST_F(RestClientTest, WarningsAreToldOnceEach) {
  const http::Headers one{{"warning", R"(299 - "old", 299 - "older")"}};
  transport.Add(200, "{}", one);
  transport.Add(404, "", one);
  transport.Add(200, "{}", {{"warning", R"(299 - "new")"}});
  for (int i = 0; i < 3; ++i) (void)client().Get(kJobs, kKey, {});
  EXPECT_THAT(warnings, ElementsAre("old", "older", "new"));
}

TEST_F(RestClientTest, WatchPushesRawBytes) {
  transport.Add(200, "{\"a\":1}\n{\"b\"");
  std::string text;
  const auto status = client().Watch(kJobs, "", {}, ResourceVersion("7"), 300,
                                     [&](std::string_view piece) {
                                       text.append(piece);
                                       return true;
                                     },
                                     {});
  EXPECT_TRUE(status);
  EXPECT_EQ(text, "{\"a\":1}\n{\"b\"");
  EXPECT_EQ(transport.requests[0].target,
            "/apis/batch/v1/jobs?watch=true&allowWatchBookmarks=true&resourceVersion=7"
            "&timeoutSeconds=300");
  EXPECT_THAT(seen, ElementsAre("watch 200"));
}

TEST_F(RestClientTest, WatchTellsExpiredAndLeavesLostConnectionsToItsReader) {
  const auto code = [&] {
    const auto status = client().Watch(kJobs, "", {}, ResourceVersion("7"), 300,
                                       [](std::string_view) { return true; }, {});
    return status ? ErrorCode::kInternal : status.error().code;
  };
  transport.Add(410, R"({"kind":"Status","reason":"Expired"})");
  EXPECT_EQ(code(), ErrorCode::kExpired);
  transport.AddError(ErrorCode::kUnavailable);
  EXPECT_EQ(code(), ErrorCode::kUnavailable);
  transport.Add(500, "");
  EXPECT_EQ(code(), ErrorCode::kUnavailable);
  transport.Add(401, "");
  transport.Add(200, "");
  EXPECT_EQ(code(), ErrorCode::kInternal);
  EXPECT_TRUE(transport.done());
}

TEST_F(RestClientTest, ReadLogAsksForPlainText) {
  transport.Add(200, "line\n");
  std::string text;
  EXPECT_TRUE(client().ReadLog(kKey, {},
                               [&](std::string_view piece) {
                                 text.append(piece);
                                 return true;
                               },
                               {}));
  EXPECT_EQ(text, "line\n");
  EXPECT_EQ(transport.requests[0].headers.at("accept"), "*/*");
  EXPECT_EQ(transport.requests[0].target,
            "/api/v1/namespaces/n/pods/j/log?container=runner&limitBytes=8388608");
}

}  // namespace
}  // namespace torchsoak::k8s
