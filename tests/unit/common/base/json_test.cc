#include "common/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace torchsoak {
namespace {

TEST(Json, RefusesBadDeepAndLargeText) {
  EXPECT_TRUE(ParseJson("{\"a\":[1,2.5,\"x\"]}"));
  for (const std::string text : {"", "{", "nan", "1e999", "{'a':1}", "[1,]", "\"\xFF\""}) {
    const auto json = ParseJson(text);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().code, ErrorCode::kInvalid);
  }
  EXPECT_TRUE(ParseJson(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(ParseJson(std::string(101, '[') + std::string(101, ']')));
  EXPECT_TRUE(ParseJson("\"" + std::string(200, '[') + "\\\"[\""));
  EXPECT_EQ(ParseJson("[1]", 2).error().code, ErrorCode::kTooLarge);
}

TEST(Json, TypedReadsFallBack) {
  const Json json = {{"s", "x"},  {"n", 5},   {"u", 18446744073709551615U},
                     {"b", true}, {"f", 1.5}, {"o", {{"p", -1}}}};
  EXPECT_EQ(GetString(json, {"s"}), "x");
  EXPECT_EQ(GetString(json, {"n"}, "fallback"), "fallback");
  EXPECT_EQ(GetString(json, {"s", "deeper"}, "fallback"), "fallback");
  EXPECT_EQ(GetInt(json, {"n"}), 5);
  EXPECT_EQ(GetInt(json, {"o", "p"}), -1);
  EXPECT_FALSE(GetInt(json, {"u"})) << "does not fit";
  EXPECT_FALSE(GetInt(json, {"f"}));
  EXPECT_TRUE(GetBool(json, {"b"}));
  EXPECT_TRUE(GetBool(json, {"s"}, true));
  EXPECT_EQ(Find(json, {"nothing", "here"}), nullptr);
}

TEST(Json, DumpReplacesBadUtf8) { EXPECT_EQ(DumpJson("a\xFF"), "\"a\xEF\xBF\xBD\""); }

TEST(JsonDeathTest, NanIsAProgrammingError) {
  const Json json = {{"deep", {1.0, std::nan("")}}};
  EXPECT_DEBUG_DEATH(DumpJson(json), "NaN");
}

}  // namespace
}  // namespace torchsoak
