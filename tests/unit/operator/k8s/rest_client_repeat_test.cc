// When the client asks again, and when it must not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/operator/k8s/rest_client_fixture.h"

namespace torchsoak::k8s {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using RestClientRepeatTest = RestClientTest;

TEST_F(RestClientRepeatTest, ReadsAreRepeatedOnLostConnectionsAndServerErrors) {
  transport.AddError(ErrorCode::kUnavailable);
  transport.AddError(ErrorCode::kTimeout);
  transport.Add(500, "");
  transport.Add(503, "");
  transport.Add(429, "");
  transport.Add(200, "{}");
  EXPECT_TRUE(client().Get(kJobs, kKey, {}));
  EXPECT_THAT(seen, ElementsAre("get 0", "get 0", "get 500", "get 503", "get 429", "get 200"));
}

TEST_F(RestClientRepeatTest, WritesAreNotRepeatedOnLostConnectionsOrServerErrors) {
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

TEST_F(RestClientRepeatTest, AnyVerbIsRepeatedWhenTheServerNamesATime) {
  transport.Add(429, "", {{"retry-after", "3"}});
  transport.Add(503, "", {{"retry-after", "2"}});
  transport.Add(201, "{}");
  const double took = SecondsFor([&] { EXPECT_EQ(CreateCode(), ErrorCode::kInternal); });
  EXPECT_GE(took, 5.0);
  EXPECT_LT(took, 7.0);
  EXPECT_THAT(seen, ElementsAre("create 429", "create 503", "create 201"));
}

TEST_F(RestClientRepeatTest, DoesNotWaitPastItsDeadline) {
  options.deadline = seconds(5);
  transport.Add(429, "", {{"retry-after", "10"}});
  const double took = SecondsFor([&] { EXPECT_EQ(CreateCode(), ErrorCode::kThrottled); });
  EXPECT_EQ(took, 0.0);
}

TEST_F(RestClientRepeatTest, GivesEachTryOnlyTheTimeThatIsLeft) {
  options.deadline = seconds(10);
  transport.on_request = [&] { clock.Advance(seconds(3)); };
  for (int i = 0; i < 10; ++i) transport.AddError(ErrorCode::kUnavailable);
  EXPECT_EQ(GetCode(), ErrorCode::kUnavailable);
  ASSERT_EQ(transport.deadlines.size(), 3U);
  EXPECT_EQ(transport.deadlines[0], seconds(10));
  EXPECT_LT(transport.deadlines[1], seconds(7));
  EXPECT_LT(transport.deadlines[2], seconds(4));
}

TEST_F(RestClientRepeatTest, StopsAfterTheLastTry) {
  options.tries = 3;
  for (int i = 0; i < 5; ++i) transport.Add(500, "");
  EXPECT_EQ(GetCode(), ErrorCode::kUnavailable);
  EXPECT_EQ(transport.requests.size(), 3U);
}

TEST_F(RestClientRepeatTest, OneTryMeansNoRepeats) {
  options.tries = 1;
  transport.Add(429, "", {{"retry-after", "1"}});
  EXPECT_EQ(SecondsFor([&] { EXPECT_EQ(GetCode(), ErrorCode::kThrottled); }), 0.0);
}

TEST_F(RestClientRepeatTest, JitterIsPutOnTopOfTheServersWish) {
  options.random = [] { return 0.999; };
  transport.Add(429, "", {{"retry-after", "1"}});
  transport.Add(200, "{}");
  const double took = SecondsFor([&] { EXPECT_TRUE(client().Get(kJobs, kKey, {})); });
  EXPECT_GT(took, 1.3);
  EXPECT_LT(took, 1.5);
}

TEST_F(RestClientRepeatTest, StopEndsTheWaitBetweenTries) {
  clock.SetAutoAdvance(false);
  std::stop_source stop;
  transport.on_request = [&] { stop.request_stop(); };
  transport.Add(500, "");
  const auto got = client().Get(kJobs, kKey, stop.get_token());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kCancelled);
}

TEST_F(RestClientRepeatTest, UnauthorizedRenewsTheTokenOnce) {
  transport.Add(401, "");
  transport.Add(200, "{}");
  EXPECT_TRUE(client().Get(kJobs, kKey, {}));
  EXPECT_EQ(transport.requests[1].headers.at("authorization"), "token-2");

  transport.Add(401, "");
  transport.Add(401, "");
  EXPECT_EQ(CreateCode(), ErrorCode::kForbidden);
  EXPECT_EQ(transport.requests.size(), 4U);
}

TEST_F(RestClientRepeatTest, UnauthorizedIsFinalWhenNothingCanBeRenewed) {
  credentials.renewable = false;
  transport.Add(401, "");
  EXPECT_EQ(GetCode(), ErrorCode::kForbidden);
  EXPECT_EQ(transport.requests.size(), 1U);
}

TEST_F(RestClientRepeatTest, AMissingTokenIsNotAMissingObject) {
  credentials.failure = Error{ErrorCode::kNotFound, "no token file"};
  const auto got = client().Get(kJobs, kKey, {});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kForbidden);
  EXPECT_THAT(got.error().message, HasSubstr("no token file"));
  EXPECT_TRUE(transport.requests.empty());
}

}  // namespace
}  // namespace torchsoak::k8s
