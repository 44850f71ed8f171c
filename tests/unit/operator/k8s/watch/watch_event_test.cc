#include "operator/k8s/watch/watch_event.h"

#include <gtest/gtest.h>

#include <string>

namespace torchsoak::k8s {
namespace {

std::string Line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}";
}

const char* const kPod =
    R"({"kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"12"}})";

TEST(WatchEvent, DecodesTheThreeKindsOfChange) {
  const std::pair<const char*, WatchEventType> kinds[] = {{"ADDED", WatchEventType::kAdded},
                                                          {"MODIFIED", WatchEventType::kModified},
                                                          {"DELETED", WatchEventType::kDeleted}};
  for (const auto& [text, type] : kinds) {
    const auto event = DecodeWatchEvent(Line(text, kPod));
    ASSERT_TRUE(event) << text;
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(event->version.text(), "12");
    EXPECT_EQ(GetString(event->object, {"metadata", "name"}), "a");
  }
}

TEST(WatchEvent, BookmarkNeedsOnlyAVersion) {
  const auto event = DecodeWatchEvent(Line("BOOKMARK", R"({"metadata":{"resourceVersion":"99"}})"));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type, WatchEventType::kBookmark);
  EXPECT_EQ(event->version.text(), "99");
}

struct ErrorCase {
  const char* status;
  WatchErrorKind kind;
  int retry_after;
};

TEST(WatchEvent, JudgesErrorsByReasonAndCode) {
  const ErrorCase cases[] = {
      {R"({"code":410,"reason":"Expired","message":"too old"})", WatchErrorKind::kExpired, 0},
      {R"({"code":410,"reason":"Gone"})", WatchErrorKind::kExpired, 0},
      {R"({"code":410})", WatchErrorKind::kExpired, 0},
      {R"({"reason":"Expired"})", WatchErrorKind::kExpired, 0},
      {R"({"code":504,"reason":"Timeout","details":{"retryAfterSeconds":1,
           "causes":[{"reason":"ResourceVersionTooLarge"}]}})",
       WatchErrorKind::kVersionTooLarge, 1},
      {R"({"code":504,"reason":"Timeout"})", WatchErrorKind::kOther, 0},
      {R"({"code":429,"reason":"TooManyRequests","details":{"retryAfterSeconds":7}})",
       WatchErrorKind::kThrottled, 7},
      {R"({"code":429,"details":{"retryAfterSeconds":-7}})", WatchErrorKind::kThrottled, 0},
      {R"({"code":429,"details":{"retryAfterSeconds":99999999}})", WatchErrorKind::kThrottled, 300},
      {R"({"code":500,"reason":"InternalError"})", WatchErrorKind::kInternal, 0},
      {R"({"code":403,"reason":"Forbidden"})", WatchErrorKind::kOther, 0},
      {R"({"message":"the object is Expired 410"})", WatchErrorKind::kOther, 0},
      {R"("no object at all")", WatchErrorKind::kOther, 0},
      {R"(null)", WatchErrorKind::kOther, 0},
  };
  for (const ErrorCase& test : cases) {
    const auto event = DecodeWatchEvent(Line("ERROR", test.status));
    ASSERT_TRUE(event) << test.status;
    EXPECT_EQ(event->type, WatchEventType::kError);
    EXPECT_EQ(event->error, test.kind) << test.status;
    EXPECT_EQ(event->retry_after.count(), test.retry_after) << test.status;
  }
}

TEST(WatchEvent, WhatCannotBeReadIsALostEvent) {
  const std::string lines[] = {
      "",
      "{",
      "null",
      "[]",
      R"({"type":"ADDED"})",
      R"({"type":7,"object":{}})",
      Line("SYNCED", kPod),
      Line("added", kPod),
      Line("ADDED", "null"),
      Line("ADDED", R"({"metadata":{"name":"a","uid":"u"}})"),
      Line("ADDED", R"({"metadata":{"name":"a","uid":"u","resourceVersion":""}})"),
      Line("ADDED", R"({"metadata":{"name":"a","uid":"u","resourceVersion":"0"}})"),
      Line("ADDED", R"({"metadata":{"name":"a","uid":"u","resourceVersion":5}})"),
      Line("ADDED", R"({"metadata":{"name":"a","resourceVersion":"5"}})"),
      Line("DELETED", R"({"metadata":{"uid":"u","resourceVersion":"5"}})"),
      Line("BOOKMARK", R"({"metadata":{}})"),
      std::string(200, '['),
  };
  for (const std::string& line : lines) {
    const auto event = DecodeWatchEvent(line);
    ASSERT_FALSE(event) << line;
    EXPECT_EQ(event.error().code, ErrorCode::kDataLoss);
  }
}

TEST(WatchEvent, OnlyNumbersAreUsableVersions) {
  EXPECT_TRUE(IsUsableVersion(ResourceVersion("1")));
  EXPECT_TRUE(IsUsableVersion(ResourceVersion("123456789012345678901234567890")));
  for (const char* text : {"", "0", "007", "abc", "-1", "1x"}) {
    EXPECT_FALSE(IsUsableVersion(ResourceVersion(text))) << text;
  }
}

}  // namespace
}  // namespace torchsoak::k8s
