#include "common/spec/crd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/spec/rules.h"
#include "common/spec/schema.h"
#include "tests/unit/common/spec/schema_walk.h"

namespace torchsoak::spec {
namespace {

TEST(Crd, IsReadWithAnchorsAndMergeKeys) {
  EXPECT_EQ(GetString(Crd(), {"metadata", "name"}), "stresstests.torchsoak.dev");
  const Json& spec = StressTestSchema().at("properties").at("spec").at("properties");
  EXPECT_EQ(GetString(spec, {"duration", "type"}), "string") << "from a merge key";
  EXPECT_NE(GetString(spec, {"duration", "description"}), "") << "beside a merge key";
  EXPECT_EQ(spec.at("inference").at("properties").at("inProcess").at("properties").at("model"),
            spec.at("training").at("properties").at("model"))
      << "from an alias";
}

TEST(Crd, UsesOnlyKeywordsThatTheWalkerObeys) {
  const auto known = KnownKeywords();
  ForEachSchema([&](const std::string& path, const Json& schema) {
    for (const auto& [keyword, value] : schema.items()) {
      EXPECT_NE(std::find(known.begin(), known.end(), keyword), known.end())
          << path << ": " << keyword;
    }
    const Json* type = Find(schema, {"x-kubernetes-list-type"});
    EXPECT_TRUE(type == nullptr || *type == "atomic" || *type == "set" || *type == "map") << path;
    EXPECT_FALSE(schema.contains("additionalProperties") && schema.contains("properties")) << path;
  });
}

// CEL's cost budget, and a status that fits (crds/README.md).
TEST(Crd, EverythingIsBounded) {
  ForEachSchema([&](const std::string& path, const Json& schema) {
    if (path == "apiVersion" || path == "kind") return;
    const std::string type = GetString(schema, {"type"});
    const bool closed = schema.contains("enum") || schema.contains("format");
    if (type == "string") {
      EXPECT_TRUE(closed || schema.contains("maxLength")) << path;
    }
    if (type == "array") {
      EXPECT_TRUE(schema.contains("maxItems")) << path;
    }
    if (schema.contains("additionalProperties")) {
      EXPECT_TRUE(schema.contains("maxProperties")) << path;
    }
  });
}

TEST(Crd, EveryRuleHasItsTwinAndEveryTwinItsRule) {
  std::set<std::string> in_crd;
  ForEachSchema([&](const std::string& path, const Json& schema) {
    const Json* rules = Find(schema, {"x-kubernetes-validations"});
    if (rules == nullptr) return;
    for (const Json& rule : *rules) {
      in_crd.insert((path.empty() ? "." : path) + "\n" + GetString(rule, {"rule"}));
      EXPECT_NE(GetString(rule, {"message"}), "") << path;
    }
  });
  std::set<std::string> in_table;
  for (const Rule& rule : Rules()) {
    std::string_view paths = rule.paths;
    while (!paths.empty()) {
      const std::size_t end = std::min(paths.find(' '), paths.size());
      in_table.insert(std::string(paths.substr(0, end)) + "\n" + std::string(rule.text));
      paths.remove_prefix(std::min(end + 1, paths.size()));
    }
    EXPECT_EQ(rule.update_only, rule.text.find("oldSelf") != std::string_view::npos) << rule.text;
  }
  for (const std::string& rule : in_crd) EXPECT_TRUE(in_table.count(rule)) << "no twin: " << rule;
  for (const std::string& rule : in_table) EXPECT_TRUE(in_crd.count(rule)) << "no rule: " << rule;
}

TEST(Crd, TransitionRulesStandAboveLists) {
  for (const Rule& rule : Rules()) {
    if (rule.update_only) {
      EXPECT_EQ(rule.paths.find("[]"), std::string_view::npos) << rule.text;
    }
  }
}

}  // namespace
}  // namespace torchsoak::spec
