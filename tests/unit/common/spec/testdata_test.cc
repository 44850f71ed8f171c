// Every file of tests/testdata through LoadStressTest. A cluster test sends the same files to
// kubectl.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "common/contract/models.h"
#include "common/contract/modes.h"
#include "common/contract/spec.h"
#include "common/spec/load.h"
#include "common/spec/yaml.h"
#include "tests/unit/common/spec/schema_walk.h"

namespace torchsoak::spec {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> Files(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(TORCHSOAK_TESTDATA "/") + folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class InvalidFile : public testing::TestWithParam<std::filesystem::path> {};
class ValidFile : public testing::TestWithParam<std::filesystem::path> {};

std::string NameOf(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

TEST_P(InvalidFile, IsRefusedAndTheFieldIsNamed) {
  const std::string text = Read(GetParam());
  ASSERT_TRUE(text.starts_with("# field: ")) << "first line";
  const std::string field = text.substr(9, text.find('\n') - 9);
  const Loaded loaded = LoadStressTest(text);
  ASSERT_FALSE(loaded);
  const auto& errors = loaded.error();
  EXPECT_TRUE(std::any_of(errors.begin(), errors.end(), [&](const FieldError& e) {
    return e.field == field;
  })) << Describe(GetParam().filename().string(), errors);
  for (const FieldError& error : errors) {
    EXPECT_GT(error.line, 1) << error.field;
    EXPECT_FALSE(error.message.empty());
  }
}

TEST_P(ValidFile, IsAcceptedAndReadable) {
  const Loaded loaded = LoadStressTest(Read(GetParam()));
  ASSERT_TRUE(loaded) << Describe(GetParam().filename().string(), loaded.error());
  EXPECT_TRUE(contract::ParseSpec(loaded->at("spec")));
  const Loaded again = ValidateStressTest(*loaded);
  ASSERT_TRUE(again) << "what was accepted is accepted again";
  EXPECT_EQ(*again, *loaded);
}

/// A member that is null counts as left out.
Json WithoutNulls(const Json& json) {
  if (!json.is_object()) return json;
  Json kept = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (!value.is_null()) kept[key] = WithoutNulls(value);
  }
  return kept;
}

// The CRD's defaults and the structs' are one: a file reads the same before and after the schema
// filled them in. (spec.pod is not read into structs.)
TEST_P(ValidFile, DefaultsOfTheCrdAreThoseOfTheCode) {
  const std::string text = Read(GetParam());
  const Loaded loaded = LoadStressTest(text);
  const auto raw = ParseYaml(text);
  ASSERT_TRUE(loaded && raw);
  auto with = contract::ParseSpec(loaded->at("spec"));
  auto without = contract::ParseSpec(WithoutNulls(raw->value.at("spec")));
  ASSERT_TRUE(with && without);
  with->pod = without->pod = Json();
  EXPECT_EQ(*with, *without);
}

INSTANTIATE_TEST_SUITE_P(Testdata, InvalidFile, testing::ValuesIn(Files("invalid")), NameOf);
INSTANTIATE_TEST_SUITE_P(Testdata, ValidFile, testing::ValuesIn(Files("valid")), NameOf);
INSTANTIATE_TEST_SUITE_P(Examples, ValidFile, testing::ValuesIn(Files("../../examples")), NameOf);

// By it DefaultsOfTheCrdAreThoseOfTheCode compares each default of a mode.
TEST(Load, EachModeHasItsSmallestFile) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    const std::string file =
        TORCHSOAK_TESTDATA "/valid/" + std::string(mode.member) + "-smallest.yaml";
    const Loaded loaded = LoadStressTest(Read(file));
    ASSERT_TRUE(loaded) << file;
    EXPECT_EQ(GetString(*loaded, {"spec", "mode"}), mode.name) << file;
  }
}

/// Values of that schema that are not `now`, of which one is valid; empty where there is none.
std::vector<Json> OtherValues(const Json& schema, const Json& now) {
  if (schema.contains("enum")) {  // the usual word comes first
    const Json& last = schema.at("enum").back();
    return last != now ? std::vector<Json>{last} : std::vector<Json>{};
  }
  const std::string type = GetString(schema, {"type"});
  if (type == "boolean") return {!now.is_boolean() || !now.get<bool>()};
  if (type == "integer") {
    const auto least = schema.at("minimum").get<std::int64_t>();
    return {now.is_null() || now == least ? least + 1 : least};
  }
  if (type == "array") return {Json::array({schema.at("items").at("enum").back()})};
  return {"0.25", "80Mi", "3s"};  // texts of a mode that are no words: a number, a size, a time
}

// A field that no code reads would be accepted and ignored.
TEST(Load, EveryFieldOfAModeReachesTheCode) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    const Loaded loaded = LoadStressTest(
        Read(TORCHSOAK_TESTDATA "/valid/" + std::string(mode.member) + "-smallest.yaml"));
    ASSERT_TRUE(loaded);
    const Json& spec = loaded->at("spec");
    const auto usual = contract::ParseSpec(spec);
    ASSERT_TRUE(usual);
    const std::string member = "spec." + std::string(mode.member) + ".";
    int fields = 0;
    ForEachSchema([&](const std::string& path, const Json& schema) {
      if (!path.starts_with(member) || path.ends_with("[]") || schema.contains("properties"))
        return;
      const std::string name = path.substr(path.rfind('.') + 1);
      const bool param = path.find(".params.") != std::string::npos;
      if (param && !contract::HasSize(contract::ModelKind::kMlp, name)) return;  // SizesOfModels
      if (path.find(".model.torchScript") != std::string::npos) return;  // ParseSpec.ModelFiles
      if (path.find(".model.aotInductor") != std::string::npos) return;
      std::string pointer = path.substr(std::string("spec").size());
      std::replace(pointer.begin(), pointer.end(), '.', '/');
      const Json::json_pointer at(pointer);
      const auto others = OtherValues(schema, spec.contains(at) ? spec.at(at) : Json());
      if (others.empty()) return;
      const bool reaches = std::any_of(others.begin(), others.end(), [&](const Json& other) {
        Json changed = spec;
        changed[at] = other;
        const auto read = contract::ParseSpec(changed);
        return read && *read != *usual;
      });
      EXPECT_TRUE(reaches) << path << " is not read";
      ++fields;
    });
    EXPECT_GT(fields, 0) << mode.name;
  }
}

/// Each member of each object in `spec`, as a pointer.
std::set<std::string> Members(const Json& spec) {
  std::set<std::string> members;
  const Json flat = spec.flatten();
  for (const auto& [leaf, value] : flat.items()) {
    for (Json::json_pointer at(leaf); !at.empty(); at = at.parent_pointer()) {
      if (spec.at(at.parent_pointer()).is_object()) members.insert(at.to_string());
    }
  }
  return members;
}

// A default that the smallest file spells out is compared with nothing.
TEST(Load, TheSmallestFileHoldsNothingThatMayBeLeftOut) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    const std::string file =
        TORCHSOAK_TESTDATA "/valid/" + std::string(mode.member) + "-smallest.yaml";
    const auto raw = ParseYaml(Read(file));
    ASSERT_TRUE(raw) << file;
    for (const std::string& member : Members(raw->value.at("spec"))) {
      Json less = raw->value;
      const Json::json_pointer at("/spec" + member);
      less.at(at.parent_pointer()).erase(at.back());
      EXPECT_FALSE(ValidateStressTest(less)) << file << " needs no " << member;
    }
  }
}

TEST(Load, FormsOfYaml) {
  const Loaded loaded = LoadStressTest(Read(TORCHSOAK_TESTDATA "/valid/forms-of-yaml.yaml"));
  ASSERT_TRUE(loaded);
  const Json& spec = loaded->at("spec");
  EXPECT_EQ(spec.at("training").at("batchSize"), 64);
  EXPECT_EQ(spec.at("training").at("samplesPerEpoch"), 1000);
  EXPECT_EQ(spec.at("training").at("amp"), false);
  EXPECT_EQ(spec.at("duration"), "1h30m");
  EXPECT_EQ(spec.at("seed"), 31);
  EXPECT_FALSE(spec.contains("image"));
}

TEST(Load, MessagesForPeople) {
  const auto message = [](const char* file) {
    const Loaded loaded = LoadStressTest(Read(std::string(TORCHSOAK_TESTDATA "/invalid/") + file));
    return loaded ? "accepted" : Describe("f.yaml", loaded.error());
  };
  EXPECT_EQ(message("bare-no.yaml"),
            "f.yaml:10: spec.image: must be string, was boolean false; put the text in quotes\n");
  EXPECT_EQ(message("unknown-field.yaml"),
            "f.yaml:10: spec.training.batchsize: unknown field; did you mean batchSize?\n");
  EXPECT_EQ(message("batch-size-zero.yaml"),
            "f.yaml:10: spec.training.batchSize: must be at least 1, was 0\n");
  EXPECT_EQ(message("duplicate-key.yaml"),
            "f.yaml:13: spec.duration: the key \"duration\" is there twice, on line 11 and on line "
            "13: keep one\n");
  EXPECT_EQ(message("amp-without-precision.yaml"),
            "f.yaml:10: spec.training.amp: amp needs precision BF16 or FP16, the type that "
            "autocast computes in\n");
  EXPECT_NE(message("duration-days.yaml").find("e.g. 90s, 30m, 1h30m, 1.5h"), std::string::npos);
  EXPECT_NE(message("threshold-metric-misspelt.yaml").find("did you mean training.stepTime?"),
            std::string::npos);
  EXPECT_NE(message("memory-gb.yaml").find("suffixes m, k, M, G"), std::string::npos);
}

TEST(Load, NoObject) {
  for (const char* text : {"", "# nothing\n", "5", "[]", "text"}) {
    const Loaded loaded = LoadStressTest(text);
    ASSERT_FALSE(loaded) << text;
    EXPECT_EQ(loaded.error().size(), 1U);
  }
  EXPECT_FALSE(ValidateStressTest(Json::object()));
}

TEST(Load, StatusOfACreateIsNotLookedAt) {
  Json object = *LoadStressTest(Read(TORCHSOAK_TESTDATA "/valid/training-smallest.yaml"));
  object["status"] = {{"phase", "Nonsense"}};
  const Loaded loaded = ValidateStressTest(object);
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->contains("status"));
}

}  // namespace
}  // namespace torchsoak::spec
