#include "common/spec/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace torchsoak::spec {
namespace {

TEST(Yaml, ReadsABlockDocumentWithLines) {
  const auto document = ParseYaml(
      "# a comment\n"
      "kind: StressTest\n"
      "metadata:\n"
      "  name: a\n"
      "spec:\n"
      "  list:\n"
      "  - name: x\n"
      "    value: |\n"
      "      two\n"
      "      lines\n"
      "  - {name: z, value: \"no\"}\n");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->value,
            Json::parse(R"({"kind":"StressTest","metadata":{"name":"a"},"spec":{"list":[
                {"name":"x","value":"two\nlines\n"},{"name":"z","value":"no"}]}})"));
  const Lines& lines = document->lines;
  EXPECT_EQ(lines.members.at("kind").line, 2);
  EXPECT_EQ(lines.members.at("metadata").members.at("name").line, 4);
  const Lines& list = lines.members.at("spec").members.at("list");
  EXPECT_EQ(list.line, 6);
  EXPECT_EQ(list.items.at(0).members.at("value").line, 8);
  EXPECT_EQ(list.items.at(1).line, 11);
}

TEST(Yaml, HarmlessForms) {
  const std::pair<std::string, const char*> cases[] = {
      {"a: 1\r\nb: x\r\n", R"({"a":1,"b":"x"})"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       R"({"a":1})"},
      {"---\na: 1\n", R"({"a":1})"},
      {"---\na: 1\n...\n", R"({"a":1})"},
      {"---\na: 1\n---\n", R"({"a":1})"},
      {"# only a comment\n---\na: 1\n", R"({"a":1})"},
      {"a:\n", R"({"a":null})"},
      {"a: ''\n", R"({"a":""})"},
      {"{\"a\": [1, 2, {\"b\": null}]}", R"({"a":[1,2,{"b":null}]})"},
      {"a: >-\n  folded\n  text\n", R"({"a":"folded text"})"},
      {"'no': 1\n\"1\": 2\n\"<<\": 3\n", R"({"no":1,"1":2,"<<":3})"},
      {"a: &b\n", ""},
      {"", "null"},
      {"# nothing\n", "null"},
      {"5", "5"},
      {"ä: €\n", R"({"ä":"€"})"},
  };
  for (const auto& [text, json] : cases) {
    const auto document = ParseYaml(text);
    if (*json == '\0') {
      EXPECT_FALSE(document) << text;
      continue;
    }
    ASSERT_TRUE(document) << text << ": " << document.error().message;
    EXPECT_EQ(document->value, Json::parse(json)) << text;
  }
}

struct Bad {
  std::string text;
  int line;
  const char* field;
  const char* message;
};

void ExpectRefused(const Bad& bad) {
  const auto document = ParseYaml(bad.text);
  ASSERT_FALSE(document) << bad.text;
  EXPECT_EQ(document.error().line, bad.line) << bad.text;
  EXPECT_EQ(document.error().field, bad.field) << bad.text;
  EXPECT_NE(document.error().message.find(bad.message), std::string::npos)
      << document.error().message;
}

// Report D02: the key, both lines.
TEST(Yaml, DuplicateKeysAreRefused) {
  ExpectRefused({"spec:\n  duration: 10m\n  seed: 1\n  duration: 8h\n", 4, "spec.duration",
                 "\"duration\" is there twice, on line 2 and on line 4"});
  ExpectRefused({"a: 1\nA: 2\n\"a\": 3\n", 3, "a", "on line 1 and on line 3"});
  ExpectRefused({"l:\n- {x: 1, x: 2}\n", 2, "l[0].x", "twice"});
  ExpectRefused({"{\"a\":1,\"b\":{\"c\":1,\"c\":1}}", 1, "b.c", "twice"});
}

TEST(Yaml, WhatReadersDisagreeOnIsRefused) {
  const Bad cases[] = {
      {"a: 1\n<<: {b: 2}\n", 2, "", "merge keys"},
      {"a: &x 1\n", 1, "a", "anchors"},
      {"a: 1\nb: *x\n", 2, "b", ""},
      {"a: &x [1]\nb: *x\n", 1, "a", "anchors"},
      {"a: !!str 1\n", 1, "a", "tags"},
      {"a: !!binary aGk=\n", 1, "a", "tags"},
      {"a: !mine {b: 1}\n", 1, "a", "tags"},
      {"a: 1\n---\nb: 2\n", 3, "", "second document"},
      {"a: 1\n---\n---\nb: 2\n", 4, "", "second document"},
      {"no: 1\n", 1, "", "\"no\" is not text"},
      {"a:\n  1: x\n", 2, "a", "\"1\" is not text"},
      {"1.5: x\n", 1, "", "not text"},
      {"~: x\n", 1, "", ""},
      {": x\n", 1, "", ""},
      {"? [a, b]\n: 1\n", 1, "", "a key must be text"},
      {"? {a: b}\n: 1\n", 1, "", "a key must be text"},
      {".inf: 1\n", 1, "", "not text"},
      {"a: .nan\n", 1, "a", "not a number that JSON has"},
      {"a: [-.inf]\n", 1, "a[0]", "not a number that JSON has"},
  };
  for (const Bad& bad : cases) {
    const auto document = ParseYaml(bad.text);
    if (*bad.message != '\0') {
      ExpectRefused(bad);
    } else {
      EXPECT_FALSE(document) << bad.text;
    }
  }
}

TEST(Yaml, NotYaml) {
  EXPECT_TRUE(ParseYaml("[1, ~, null, ]"));
  ExpectRefused({"a: [1,, 2]", 1, "a[1]", "an item is missing"});
  for (const std::string text : {"a: b: c\n", "a: [1, 2\n", "a: 'x\n", "\ta: 1\n", "a: 1\n b: 2\n",
                                 "- a\nb: 1\n", "a: {b: 1\n", "@a: 1\n", "`a: 1\n"}) {
    EXPECT_FALSE(ParseYaml(text)) << text;
  }
}

TEST(Yaml, KeysHaveTheirColon) {
  EXPECT_TRUE(ParseYaml("a : 1\n'b' : 2\n\"c\\\"\":\n{a: 1, \"b\":2}:\n").error().line == 4);
  ExpectRefused({"a: 1\nsuspend\n", 2, "", "a colon is missing"});
  ExpectRefused({"{a: 1, b}", 1, "", "a colon is missing"});
  ExpectRefused({"? a\n: 1\n", 1, "", "a colon is missing"});
  ExpectRefused({"%YAML 1.1\n---\na: 1\n", 1, "", "directives"});
  ExpectRefused({"a: 1\n% x\n", 2, "", "directives"});
}

TEST(Yaml, QuotesEndOnTheirLine) {
  EXPECT_TRUE(
      ParseYaml("\xEF\xBB\xBF"
                "ä: 'it''s'\nb: \"a \\\" 'b\"\n"));
  for (const std::string text :
       {"a: 'x\n", "a: 'x\nb: 1\n", "a: 'x\nb: y'\n", "a: 'x\n  y'\n", "a: 'it''\n  s'\n",
        "a: \"x\\\n  y\"\n", "a: \"x\n", "'a\n': 1\n", "[ 'a\n' ]", "\"", "'"}) {
    const auto document = ParseYaml(text);
    ASSERT_FALSE(document) << text;
  }
}

TEST(Yaml, BytesThatAreNoText) {
  ExpectRefused({"a: 1\nb: \xFFx\n", 2, "", "UTF-8"});
  ExpectRefused({"a: \xED\xA0\x80\n", 1, "", "UTF-8"});
  ExpectRefused({std::string("a: 1\nb: x\0y\n", 12), 2, "", "control character"});
  ExpectRefused({"a: 1\n\nb: \x1b[31m\n", 3, "", "control character"});
  ExpectRefused({"# hidden\ra: 1\n", 1, "", "line break"});
  ExpectRefused({"a: 1\r\nb: 2\r", 2, "", "line break"});
  ExpectRefused({"a: x\u2028b: 1\n", 1, "", "line break"});
  ExpectRefused({"a: x\xC2\x85\n", 1, "", "line break"});
  ExpectRefused(
      {"\xFF\xFE"
       "a\0:\0",
       1, "", "UTF-8"});
}

TEST(Yaml, SizeAndDepth) {
  ExpectRefused({std::string((1U << 20U) + 1, ' '), 0, "", "1 MiB"});
  EXPECT_TRUE(ParseYaml("a: " + std::string(49, '[') + std::string(49, ']')));
  EXPECT_FALSE(ParseYaml("a: " + std::string(50, '[') + std::string(50, ']')));
  EXPECT_FALSE(ParseYaml(std::string(100'000, '[')));
  EXPECT_FALSE(ParseYaml(std::string(100'000, '{')));
  std::string dashes;
  for (int i = 0; i < 60; ++i) dashes += "- ";
  const auto deep = ParseYaml(dashes + "x\n");
  ASSERT_FALSE(deep);
  EXPECT_NE(deep.error().message.find("50 levels"), std::string::npos);
}

TEST(Yaml, ALongPathIsShortened) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "{" + std::string(200, static_cast<char>('a' + i % 26)) + ": ";
  const auto document = ParseYaml(text + ".nan");
  ASSERT_FALSE(document);
  EXPECT_LE(document.error().field.size(), 256U);
}

}  // namespace
}  // namespace torchsoak::spec
