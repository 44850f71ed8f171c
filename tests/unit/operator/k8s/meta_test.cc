#include "operator/k8s/meta.h"

#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

std::int64_t Micros(std::string_view text) {
  const auto time = ParseTime(text);
  return time ? time->time_since_epoch().count() : -1;
}

TEST(Meta, ReadsIdentityAndToleratesAnything) {
  const Json object =
      Json::parse(R"({"metadata":{"namespace":"n","name":"o","uid":"u","resourceVersion":"7"}})");
  EXPECT_EQ(KeyOf(object), (ObjectKey{"n", "o"}));
  EXPECT_EQ(UidOf(object), "u");
  EXPECT_EQ(VersionOf(object).text(), "7");
  for (const char* text : {"null", "[]", "3", R"({"metadata":[]})", R"({"metadata":{"uid":5}})"}) {
    const Json other = Json::parse(text);
    EXPECT_EQ(KeyOf(other), (ObjectKey{"", ""})) << text;
    EXPECT_EQ(UidOf(other), "") << text;
    EXPECT_TRUE(VersionOf(other).empty()) << text;
    EXPECT_FALSE(ControllerOf(other)) << text;
  }
}

TEST(Meta, TheControllerIsTheOwnerThatSaysSo) {
  const Json object = Json::parse(R"({"metadata":{"ownerReferences":[
    {"apiVersion":"v1","kind":"Pod","name":"p","uid":"1"},
    {"apiVersion":"v1","kind":"Pod","name":"q","uid":"2","controller":false},
    {"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"3","controller":true}]}})");
  const auto owner = ControllerOf(object);
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->api_version, "batch/v1");
  EXPECT_EQ(owner->kind, "Job");
  EXPECT_EQ(owner->name, "j");
  EXPECT_EQ(owner->uid, "3");
}

TEST(Meta, ParsesTimes) {
  EXPECT_EQ(Micros("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Micros("2026-01-02T03:04:05Z"), 1'767'323'045'000'000);
  EXPECT_EQ(Micros("2026-01-02T03:04:05.5Z"), 1'767'323'045'500'000);
  EXPECT_EQ(Micros("2026-01-02T03:04:05.000001Z"), 1'767'323'045'000'001);
  EXPECT_EQ(Micros("2026-01-02T03:04:05.123456789Z"), 1'767'323'045'123'456);
  EXPECT_EQ(Micros("2026-01-02T05:04:05+02:00"), 1'767'323'045'000'000);
  EXPECT_EQ(Micros("2026-01-01T21:34:05-05:30"), 1'767'323'045'000'000);
  EXPECT_EQ(Micros("2024-02-29T00:00:00Z"), 1'709'164'800'000'000);
}

TEST(Meta, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z",
        "2026-13-02T03:04:05Z", "2026-02-30T03:04:05Z", "2025-02-29T00:00:00Z",
        "2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z", "2026-01-02T03:04:61Z",
        "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05ZZ", "2026-01-02T03:04:05+2:00",
        "2026-01-02T03:04:05+24:00", "-026-01-02T03:04:05Z", "2026-01-02T03:04:05\n"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(Meta, FormatsTimes) {
  const WallTime time{seconds(1'767'323'045) + microseconds(42)};
  EXPECT_EQ(FormatTime(time), "2026-01-02T03:04:05Z");
  EXPECT_EQ(FormatMicroTime(time), "2026-01-02T03:04:05.000042Z");
  EXPECT_EQ(ParseTime(FormatMicroTime(time)), time);
  EXPECT_EQ(FormatMicroTime(WallTime{microseconds(-1)}), "1969-12-31T23:59:59.999999Z");
}

TEST(Meta, FindsConditions) {
  const Json conditions = Json::parse(R"([{"type":"A"},3,{"type":"B","status":"True"}])");
  ASSERT_NE(FindCondition(conditions, "B"), nullptr);
  EXPECT_EQ(GetString(*FindCondition(conditions, "B"), {"status"}), "True");
  EXPECT_EQ(FindCondition(conditions, "C"), nullptr);
  EXPECT_EQ(FindCondition(Json::object(), "A"), nullptr);
}

}  // namespace
}  // namespace torchsoak::k8s
