#include "common/spec/crd.h"

#include <yaml-cpp/yaml.h>

#include <string>

#include "common/spec/yaml.h"

namespace torchsoak::embedded {
extern const char kCrdYaml[];
extern const unsigned long kCrdYaml_size;
}  // namespace torchsoak::embedded

namespace torchsoak::spec {
namespace {

// Unlike users' files this one may use anchors and merge keys: they keep it readable, and its bytes
// are ours.
Json Convert(const YAML::Node& node);

void Merge(const YAML::Node& node, Json& out) {
  const Json merged = Convert(node);
  for (const auto& [key, value] : merged.items()) out[key] = value;
}

Json ConvertMap(const YAML::Node& node) {
  Json out = Json::object();
  for (const auto& member : node) {
    if (member.first.Scalar() == "<<") Merge(member.second, out);
  }
  for (const auto& member : node) {
    if (member.first.Scalar() != "<<") out[member.first.Scalar()] = Convert(member.second);
  }
  return out;
}

Json Convert(const YAML::Node& node) {
  if (node.IsMap()) return ConvertMap(node);
  if (node.IsSequence()) {
    Json out = Json::array();
    for (const auto& item : node) out.push_back(Convert(item));
    return out;
  }
  if (node.IsNull()) return nullptr;
  if (node.Tag() == "!") return node.Scalar();
  return ReadPlainScalar(node.Scalar()).value_or(Json(nullptr));
}

}  // namespace

const Json& Crd() {
  static const Json crd =
      Convert(YAML::Load(std::string(embedded::kCrdYaml, embedded::kCrdYaml_size)));
  return crd;
}

const Json& StressTestSchema() {
  static const Json& schema =
      Crd().at("spec").at("versions").at(0).at("schema").at("openAPIV3Schema");
  return schema;
}

}  // namespace torchsoak::spec
