#include "operator/k8s/api_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

using ::testing::HasSubstr;

std::string StatusBody(const std::string& reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"NotFound Conflict",)"
         R"("reason":")" +
         reason + "\"}";
}

struct Case {
  int status;
  const char* reason;
  ErrorCode read;
  ErrorCode write;
};

class Reason : public ::testing::TestWithParam<Case> {};

TEST_P(Reason, Decides) {
  const Case& c = GetParam();
  const auto error = ParseApiError(c.status, StatusBody(c.reason), "");
  EXPECT_EQ(ToError(error, false, "x").code, c.read) << c.reason;
  EXPECT_EQ(ToError(error, true, "x").code, c.write) << c.reason;
}

INSTANTIATE_TEST_SUITE_P(
    ApiError, Reason,
    ::testing::Values(Case{404, "NotFound", ErrorCode::kNotFound, ErrorCode::kNotFound},
                      Case{409, "AlreadyExists", ErrorCode::kExists, ErrorCode::kExists},
                      Case{409, "Conflict", ErrorCode::kConflict, ErrorCode::kConflict},
                      Case{410, "Expired", ErrorCode::kExpired, ErrorCode::kExpired},
                      Case{410, "Gone", ErrorCode::kExpired, ErrorCode::kExpired},
                      Case{422, "Invalid", ErrorCode::kInvalid, ErrorCode::kInvalid},
                      Case{400, "BadRequest", ErrorCode::kInvalid, ErrorCode::kInvalid},
                      Case{401, "Unauthorized", ErrorCode::kForbidden, ErrorCode::kForbidden},
                      Case{403, "Forbidden", ErrorCode::kForbidden, ErrorCode::kForbidden},
                      Case{413, "RequestEntityTooLarge", ErrorCode::kTooLarge,
                           ErrorCode::kTooLarge},
                      Case{429, "TooManyRequests", ErrorCode::kThrottled, ErrorCode::kThrottled},
                      Case{500, "InternalError", ErrorCode::kUnavailable, ErrorCode::kUnknown},
                      Case{500, "ServerTimeout", ErrorCode::kUnavailable, ErrorCode::kUnknown},
                      Case{504, "Timeout", ErrorCode::kUnavailable, ErrorCode::kUnknown},
                      Case{503, "ServiceUnavailable", ErrorCode::kUnavailable, ErrorCode::kUnknown},
                      // No reason, or one that we do not know: the HTTP code.
                      Case{404, "", ErrorCode::kNotFound, ErrorCode::kNotFound},
                      Case{409, "New", ErrorCode::kConflict, ErrorCode::kConflict},
                      Case{502, "", ErrorCode::kUnavailable, ErrorCode::kUnknown},
                      Case{418, "", ErrorCode::kInvalid, ErrorCode::kInvalid},
                      Case{302, "", ErrorCode::kUnavailable, ErrorCode::kUnavailable}));

TEST(ApiError, ReasonWinsOverTheHttpCode) {
  EXPECT_EQ(ToError(ParseApiError(500, StatusBody("NotFound"), ""), false, "x").code,
            ErrorCode::kNotFound);
}

TEST(ApiError, BodiesThatAreNoStatusAreJudgedByTheCode) {
  for (const char* body : {"", "<html>404 NotFound</html>", "[]", "null", R"({"kind":"Pod"})",
                           R"({"kind":"Status","reason":7})"}) {
    const auto error = ParseApiError(503, body, "");
    EXPECT_EQ(error.reason, "") << body;
    EXPECT_EQ(ToError(error, false, "x").code, ErrorCode::kUnavailable) << body;
  }
}

TEST(ApiError, ReadsRetryAfterFromHeaderOrBody) {
  using std::chrono::seconds;
  const std::string body = R"({"kind":"Status","details":{"retryAfterSeconds":7}})";
  EXPECT_EQ(ParseApiError(429, body, "3").retry_after, seconds(3));
  EXPECT_EQ(ParseApiError(429, body, "").retry_after, seconds(7));
  EXPECT_EQ(ParseApiError(429, "", "0").retry_after, seconds(0));
  for (const char* bad : {"-1", "x", "1.5", "99999", "Fri, 31 Dec 1999 23:59:59 GMT"}) {
    EXPECT_FALSE(ParseApiError(429, "", bad).retry_after) << bad;
  }
}

TEST(ApiError, NotExecutedNeedsACodeAndATime) {
  EXPECT_TRUE(NotExecuted(ParseApiError(429, "", "1")));
  EXPECT_TRUE(NotExecuted(ParseApiError(503, "", "1")));
  EXPECT_FALSE(NotExecuted(ParseApiError(429, "", "")));
  EXPECT_FALSE(NotExecuted(ParseApiError(500, "", "1")));
  EXPECT_EQ(ToError(ParseApiError(503, "", "1"), true, "x").code, ErrorCode::kThrottled);
}

TEST(ApiError, MessagesAreOneShortPrintableLine) {
  const std::string body = R"({"kind":"Status","reason":"Invalid","message":"a\nb\u0007)" +
                           std::string(5000, 'x') + "\"}";
  const Error error = ToError(ParseApiError(422, body, ""), true, "creating Job a/b");
  EXPECT_THAT(error.message, ::testing::StartsWith("creating Job a/b: HTTP 422 Invalid: a b xxx"));
  EXPECT_LT(error.message.size(), 1200U);
}

TEST(ApiError, CausesStandInForAMissingMessage) {
  const auto error = ParseApiError(422,
                                   R"({"kind":"Status","reason":"Invalid","details":{"causes":[
        {"field":"spec.mode","message":"unknown"},3]}})",
                                   "");
  ASSERT_EQ(error.causes.size(), 2U);
  EXPECT_EQ(error.causes[0].field, "spec.mode");
  EXPECT_THAT(ToError(error, true, "x").message, HasSubstr("spec.mode: unknown"));
}

}  // namespace
}  // namespace torchsoak::k8s
