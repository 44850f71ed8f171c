// The client's decisions, on a scripted transport and a clock of the test's.

#include "operator/k8s/rest_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/version.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/operator/k8s/scripted_transport.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ResourceType kJobs{"batch", "v1", "jobs", "Job"};
const ObjectKey kKey{"n", "j"};

/// Gives "token-1", and the next number after each rejection that it grants.
class CountingCredentials final : public Credentials {
 public:
  Expected<http::Headers> Get(std::stop_token) override {
    if (failure) return tl::unexpected(*failure);
    return http::Headers{{"authorization", "token-" + std::to_string(number)}};
  }
  bool Reject(BootTime) override {
    if (renewable) ++number;
    return renewable;
  }
  int number = 1;
  bool renewable = true;
  std::optional<Error> failure;
};

class RestClientTest : public ::testing::Test {
 protected:
  RestClientTest() {
    clock.SetAutoAdvance(true);
    options.on_request = [this](std::string_view verb, int code, std::chrono::nanoseconds) {
      seen.push_back(std::string(verb) + " " + std::to_string(code));
    };
    options.on_warning = [this](const std::string& text) { warnings.push_back(text); };
  }

  RestClient& client() {
    if (!client_) client_ = std::make_unique<RestClient>(transport, credentials, clock, options);
    return *client_;
  }

  /// Seconds that passed on the clock while `call` ran.
  template <typename F>
  double SecondsFor(F call) {
    const BootTime before = clock.Boot();
    call();
    return std::chrono::duration<double>(clock.Boot() - before).count();
  }

  ErrorCode GetCode() {
    const auto got = client().Get(kJobs, kKey, {});
    return got ? ErrorCode::kInternal : got.error().code;
  }
  ErrorCode CreateCode() {
    const auto got = client().Create(kJobs, "n", {{"metadata", {{"name", "j"}}}}, {});
    return got ? ErrorCode::kInternal : got.error().code;
  }

  ScriptedTransport transport;
  CountingCredentials credentials;
  fakes::FakeClock clock;
  RestOptions options;
  std::vector<std::string> seen;
  std::vector<std::string> warnings;

 private:
  std::unique_ptr<RestClient> client_;
};

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

TEST_F(RestClientTest, ReadsAreRepeatedOnLostConnectionsAndServerErrors) {
  transport.AddError(ErrorCode::kUnavailable);
  transport.AddError(ErrorCode::kTimeout);
  transport.Add(500, "");
  transport.Add(503, "");
  transport.Add(429, "");
  transport.Add(200, "{}");
  EXPECT_TRUE(client().Get(kJobs, kKey, {}));
  EXPECT_THAT(seen, ElementsAre("get 0", "get 0", "get 500", "get 503", "get 429", "get 200"));
}

TEST_F(RestClientTest, WritesAreNotRepeatedOnLostConnectionsOrServerErrors) {
  transport.AddError(ErrorCode::kUnavailable);
  EXPECT_EQ(CreateCode(), ErrorCode::kUnavailable);
  transport.AddError(ErrorCode::kUnknown);
  EXPECT_EQ(CreateCode(), ErrorCode::kUnknown);
  transport.AddError(ErrorCode::kTimeout);
  EXPECT_EQ(CreateCode(), ErrorCode::kTimeout);
  transport.Add(500, "");
  EXPECT_EQ(CreateCode(), ErrorCode::kUnknown);
  transport.Add(503, "");
  EXPECT_EQ(CreateCode(), ErrorCode::kUnknown);
  transport.Add(429, "");
  EXPECT_EQ(CreateCode(), ErrorCode::kThrottled);
  EXPECT_EQ(transport.requests.size(), 6U);
}

TEST_F(RestClientTest, AnyVerbIsRepeatedWhenTheServerNamesATime) {
  transport.Add(429, "", {{"retry-after", "3"}});
  transport.Add(503, "", {{"retry-after", "2"}});
  transport.Add(201, "{}");
  const double took = SecondsFor([&] { EXPECT_EQ(CreateCode(), ErrorCode::kInternal); });
  EXPECT_GE(took, 5.0);
  EXPECT_LT(took, 7.0);
  EXPECT_THAT(seen, ElementsAre("create 429", "create 503", "create 201"));
}

TEST_F(RestClientTest, DoesNotWaitPastItsDeadline) {
  options.deadline = seconds(5);
  transport.Add(429, "", {{"retry-after", "10"}});
  const double took = SecondsFor([&] { EXPECT_EQ(CreateCode(), ErrorCode::kThrottled); });
  EXPECT_EQ(took, 0.0);
}

TEST_F(RestClientTest, GivesEachTryOnlyTheTimeThatIsLeft) {
  options.deadline = seconds(10);
  transport.on_request = [&] { clock.Advance(seconds(3)); };
  for (int i = 0; i < 10; ++i) transport.AddError(ErrorCode::kUnavailable);
  EXPECT_EQ(GetCode(), ErrorCode::kUnavailable);
  ASSERT_EQ(transport.deadlines.size(), 3U);
  EXPECT_EQ(transport.deadlines[0], seconds(10));
  EXPECT_LT(transport.deadlines[1], seconds(7));
  EXPECT_LT(transport.deadlines[2], seconds(4));
}

TEST_F(RestClientTest, StopsAfterTheLastTry) {
  options.tries = 3;
  for (int i = 0; i < 5; ++i) transport.Add(500, "");
  EXPECT_EQ(GetCode(), ErrorCode::kUnavailable);
  EXPECT_EQ(transport.requests.size(), 3U);
}

TEST_F(RestClientTest, OneTryMeansNoRepeats) {
  options.tries = 1;
  transport.Add(429, "", {{"retry-after", "1"}});
  EXPECT_EQ(SecondsFor([&] { EXPECT_EQ(GetCode(), ErrorCode::kThrottled); }), 0.0);
}

TEST_F(RestClientTest, JitterIsPutOnTopOfTheServersWish) {
  options.random = [] { return 0.999; };
  transport.Add(429, "", {{"retry-after", "1"}});
  transport.Add(200, "{}");
  const double took = SecondsFor([&] { EXPECT_TRUE(client().Get(kJobs, kKey, {})); });
  EXPECT_GT(took, 1.3);
  EXPECT_LT(took, 1.5);
}

TEST_F(RestClientTest, StopEndsTheWaitBetweenTries) {
  clock.SetAutoAdvance(false);
  std::stop_source stop;
  transport.on_request = [&] { stop.request_stop(); };
  transport.Add(500, "");
  const auto got = client().Get(kJobs, kKey, stop.get_token());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kCancelled);
}

TEST_F(RestClientTest, UnauthorizedRenewsTheTokenOnce) {
  transport.Add(401, "");
  transport.Add(200, "{}");
  EXPECT_TRUE(client().Get(kJobs, kKey, {}));
  EXPECT_EQ(transport.requests[1].headers.at("authorization"), "token-2");

  transport.Add(401, "");
  transport.Add(401, "");
  EXPECT_EQ(CreateCode(), ErrorCode::kForbidden);
  EXPECT_EQ(transport.requests.size(), 4U);
}

TEST_F(RestClientTest, UnauthorizedIsFinalWhenNothingCanBeRenewed) {
  credentials.renewable = false;
  transport.Add(401, "");
  EXPECT_EQ(GetCode(), ErrorCode::kForbidden);
  EXPECT_EQ(transport.requests.size(), 1U);
}

TEST_F(RestClientTest, AMissingTokenIsNotAMissingObject) {
  credentials.failure = Error{ErrorCode::kNotFound, "no token file"};
  const auto got = client().Get(kJobs, kKey, {});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kForbidden);
  EXPECT_THAT(got.error().message, HasSubstr("no token file"));
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
