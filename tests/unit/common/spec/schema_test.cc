// The walker on small schemas of its own.

#include "common/spec/schema.h"

#include <gtest/gtest.h>

#include <string>

namespace torchsoak::spec {
namespace {

Json Parse(const char* text) { return Json::parse(text); }

/// The first error as "field: message", or "".
std::string First(const char* schema, const char* value) {
  const auto errors = CheckSchema(Parse(schema), Parse(value), nullptr);
  return errors.empty() ? "" : errors[0].field + ": " + errors[0].message;
}

TEST(Schema, Defaults) {
  const Json schema = Parse(R"({"type":"object","properties":{
      "a":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":5},"n":{"type":"string"}}},
      "l":{"type":"array","items":{"type":"object","properties":{"c":{"type":"boolean","default":true}}}},
      "m":{"type":"object","additionalProperties":{"type":"object","properties":{"d":{"type":"string","default":"x"}}}},
      "none":{"type":"object","properties":{"e":{"type":"string","default":"y"}}}}})");
  Json value = Parse(R"({"l":[{},{"c":false},5],"m":{"k":{},"gone":null}})");
  ApplyDefaults(schema, value);
  EXPECT_EQ(value, Parse(R"({"a":{"b":5},"l":[{"c":true},{"c":false},5],"m":{"k":{"d":"x"}}})"))
      << "parents first; nothing below what is not there";
  value = Parse(R"({"a":{"b":null,"n":null}})");
  ApplyDefaults(schema, value);
  EXPECT_EQ(value, Parse(R"({"a":{"b":5}})")) << "null is as if left out";
  value = Parse("5");
  ApplyDefaults(schema, value);
  EXPECT_EQ(value, 5);
}

TEST(Schema, NullableKeepsNull) {
  const Json schema =
      Parse(R"({"type":"object","properties":{"a":{"type":"string","nullable":true}}})");
  Json value = Parse(R"({"a":null})");
  ApplyDefaults(schema, value);
  EXPECT_TRUE(value.contains("a"));
  EXPECT_TRUE(CheckSchema(schema, value, nullptr).empty());
}

TEST(Schema, Types) {
  struct Case {
    const char* type;
    const char* value;
    const char* error;
  };
  const Case cases[] = {
      {"string", "\"x\"", ""},
      {"string", "true", "must be string, was boolean true; put the text in quotes"},
      {"string", "5", "must be string, was integer 5; put the text in quotes"},
      {"string", "1.5", "must be string, was number 1.5; put the text in quotes"},
      {"string", "[]", "must be string, was array"},
      {"string", "null", "must be string, was null"},
      {"integer", "5", ""},
      {"integer", "5.0", ""},
      {"integer", "5.5", "must be integer, was number 5.5"},
      {"integer", "\"5\"", "must be integer, was string \"5\""},
      {"number", "5", ""},
      {"number", "5.5", ""},
      {"boolean", "true", ""},
      {"boolean", "\"true\"", "must be boolean, was string \"true\""},
      {"object", "[]", "must be object, was array"},
      {"array", "{}", "must be array, was object"},
  };
  for (const Case& c : cases) {
    const std::string schema = R"({"properties":{"f":{"type":")" + std::string(c.type) + R"("}}})";
    const std::string value = R"({"f":)" + std::string(c.value) + "}";
    const std::string expected = *c.error == '\0' ? "" : "f: " + std::string(c.error);
    EXPECT_EQ(First(schema.c_str(), value.c_str()), expected);
  }
}

TEST(Schema, ScalarKeywords) {
  struct Case {
    const char* schema;
    const char* value;
    const char* error;
  };
  const Case cases[] = {
      {R"({"minimum":1})", "1", ""},
      {R"({"minimum":1})", "0", "must be at least 1, was 0"},
      {R"({"minimum":1})", "0.999", "must be at least 1, was 0.999"},
      {R"({"maximum":10})", "10", ""},
      {R"({"maximum":10})", "11", "must be at most 10, was 11"},
      {R"({"maximum":10})", "18446744073709551615", "must be at most 10, was 18446744073709551615"},
      {R"({"minimum":-9223372036854775808})", "18446744073709551615", ""},
      {R"({"format":"int32"})", "2147483648", "must fit 32 bits, was 2147483648"},
      {R"({"format":"int32"})", "-2147483648", ""},
      {R"({"format":"int64"})", "9223372036854774784", ""},
      {R"({"maxLength":3})", "\"äöü\"", ""},
      {R"({"maxLength":3})", "\"abcd\"", "must have at most 3 characters, has 4"},
      {R"({"minLength":1})", "\"\"", "must not be empty"},
      {R"({"minLength":2})", "\"a\"", "must have at least 2 characters"},
      {R"({"pattern":"^a+$"})", "\"aaa\"", ""},
      {R"({"pattern":"^a+$"})", "\"aab\"", "\"aab\" does not match ^a+$"},
      {R"({"pattern":"^a+$","description":"Some a."})", "\"\"",
       "\"\" does not match ^a+$ (Some a.)"},
      {R"({"pattern":"a"})", "\"xax\"", ""},
      {R"({"enum":["Exists","Equal"]})", "\"Exists\"", ""},
      {R"({"enum":["Exists","Equal"]})", "\"exists\"",
       "must be one of Exists, Equal, was \"exists\"; did you mean Exists?"},
      {R"({"enum":["","Memory"]})", "\"Disk\"", "must be one of \"\", Memory, was \"Disk\""},
      {R"({"x-kubernetes-int-or-string":true})", "5", ""},
      {R"({"x-kubernetes-int-or-string":true})", "\"50%\"", ""},
      {R"({"x-kubernetes-int-or-string":true})", "1.5", "must be integer or string, was number"},
  };
  for (const Case& c : cases) {
    const std::string schema = R"({"properties":{"f":)" + std::string(c.schema) + "}}";
    const std::string value = R"({"f":)" + std::string(c.value) + "}";
    EXPECT_EQ(First(schema.c_str(), value.c_str()),
              *c.error == '\0' ? "" : "f: " + std::string(c.error));
  }
}

TEST(Schema, IntegersAreExact) {
  const char* schema = R"({"properties":{"f":{"type":"integer","format":"int64","minimum":0}}})";
  EXPECT_EQ(First(schema, R"({"f":9223372036854775807})"), "");
  EXPECT_EQ(First(schema, R"({"f":9223372036854775808})"),
            "f: must fit 64 bits, was 9223372036854775808");
  EXPECT_EQ(First(schema, R"({"f":1e300})"), "f: must fit 64 bits, was 1e+300");
}

TEST(Schema, ObjectsAndUnknownFields) {
  const char* schema = R"({"required":["need"],"properties":{"need":{},"batchSize":{},"o":{
      "x-kubernetes-preserve-unknown-fields":true,"properties":{"n":{"type":"integer"}}},
      "m":{"maxProperties":1,"additionalProperties":{"type":"string"}}}})";
  EXPECT_EQ(First(schema, R"({"need":1})"), "");
  EXPECT_EQ(First(schema, R"({})"), "need: is required");
  EXPECT_EQ(First(schema, R"({"need":1,"batchsize":1})"),
            "batchsize: unknown field; did you mean batchSize?");
  EXPECT_EQ(First(schema, R"({"need":1,"colour":1})"),
            "colour: unknown field; known here: batchSize, m, need, o");
  EXPECT_EQ(First(schema, R"({"need":1,"o":{"any":{"thing":1}}})"), "");
  EXPECT_EQ(First(schema, R"({"need":1,"o":{"n":"x"}})"), "o.n: must be integer, was string \"x\"");
  EXPECT_EQ(First(schema, R"({"need":1,"m":{"a":"b"}})"), "");
  EXPECT_EQ(First(schema, R"({"need":1,"m":{"a":5}})"),
            "m.a: must be string, was integer 5; put the text in quotes");
  EXPECT_EQ(First(schema, R"({"need":1,"m":{"a":"b","c":"d"}})"),
            "m: must have at most 1 members, has 2");
  EXPECT_EQ(First(schema, R"({"need":1,"metadata":{"anything":1}})"), "");
}

TEST(Schema, Lists) {
  const char* schema = R"({"properties":{
      "set":{"x-kubernetes-list-type":"set","maxItems":3,"minItems":1,"items":{"type":"string"}},
      "map":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","properties":{"name":{},"v":{}}}},
      "atomic":{"x-kubernetes-list-type":"atomic","items":{"type":"integer"}}}})";
  EXPECT_EQ(First(schema, R"({"set":["a","b"]})"), "");
  EXPECT_EQ(First(schema, R"({"set":["a","b","a"]})"),
            "set[2]: duplicate of an item before: \"a\"");
  EXPECT_EQ(First(schema, R"({"set":["a","b","c","d"]})"), "set: must have at most 3 items, has 4");
  EXPECT_EQ(First(schema, R"({"set":[]})"), "set: must have at least 1 items");
  EXPECT_EQ(First(schema, R"({"set":["a",5]})"),
            "set[1]: must be string, was integer 5; put the text in quotes");
  EXPECT_EQ(First(schema, R"({"map":[{"name":"a","v":1},{"name":"b","v":1}]})"), "");
  EXPECT_EQ(First(schema, R"({"map":[{"name":"a","v":1},{"name":"a","v":2}]})"),
            "map[1]: duplicate of an item before: {\"name\":\"a\"}");
  EXPECT_EQ(First(schema, R"({"atomic":[1,1]})"), "");
}

TEST(Schema, AtMostTwentyErrors) {
  Json value = Json::object();
  for (int i = 0; i < 1000; ++i) value["f" + std::to_string(i)] = i;
  EXPECT_EQ(CheckSchema(Json::object(), value, nullptr).size(), 20U);
}

}  // namespace
}  // namespace torchsoak::spec
