// tests/testdata/yaml_scalars.json: [what stands behind "v: ", the JSON that sigs.k8s.io/yaml
// v1.6.0 makes of it, null where it refuses].

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "common/spec/yaml.h"

namespace torchsoak::spec {
namespace {

Json Vectors() {
  std::ifstream file(TORCHSOAK_TESTDATA "/yaml_scalars.json");
  return Json::parse(file);
}

/// As the API server decodes a number: an integer when it is written as one and fits.
bool IsWrittenAsInteger(const std::string& json) {
  const Json value = Json::parse(json);
  return value.is_number_integer() && GetInt(value, {}).has_value();
}

TEST(YamlScalars, MeanWhatTheyMeanToKubectl) {
  const Json vectors = Vectors();
  ASSERT_GT(vectors.size(), 190U);
  for (const Json& vector : vectors) {
    const std::string text = vector[0].get<std::string>();
    const auto document = ParseYaml("v: " + text + "\n");
    if (vector[1].is_null()) {
      EXPECT_FALSE(document) << text;
      continue;
    }
    ASSERT_TRUE(document) << text << ": " << document.error().message;
    const std::string json = vector[1].get<std::string>();
    const Json& value = document->value.at("v");
    EXPECT_EQ(value, Json::parse(json)) << text;
    EXPECT_EQ(value.is_number_integer(), IsWrittenAsInteger(json)) << text;
  }
}

TEST(YamlScalars, NotFinite) {
  EXPECT_FALSE(ReadPlainScalar(".nan"));
  EXPECT_FALSE(ReadPlainScalar("-.inf"));
  EXPECT_EQ(ReadPlainScalar("1e999"), Json("1e999"));
}

}  // namespace
}  // namespace torchsoak::spec
