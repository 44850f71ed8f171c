#include "common/spec/metadata.h"

#include <array>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/contract/names.h"
#include "common/spec/schema.h"

namespace torchsoak::spec {
namespace {

/// metav1.ObjectMeta, as far as people write it; what the server sets is let through unread.
const Json& MetadataSchema() {
  static const Json schema = [] {
    const Json text = {{"type", "string"}};
    const Json map = {{"type", "object"}, {"additionalProperties", text}};
    const Json any = {{"x-kubernetes-preserve-unknown-fields", true}};
    Json properties = {{"name", {{"type", "string"}, {"minLength", 1}}},
                       {"namespace", text},
                       {"labels", map},
                       {"annotations", map}};
    for (const char* set_by_server :
         {"generateName", "uid", "resourceVersion", "generation", "creationTimestamp",
          "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "ownerReferences",
          "managedFields", "selfLink"}) {
      properties[set_by_server] = any;
    }
    const Json metadata = {{"type", "object"}, {"properties", properties}, {"required", {"name"}}};
    const Json document = {{"type", "object"}, {"properties", {{"m", metadata}}}};
    return document;
  }();
  return schema;
}

const Lines* LinesOf(const Lines* lines, std::string_view key) {
  if (lines == nullptr) return nullptr;
  const auto it = lines->members.find(key);
  return it == lines->members.end() ? lines : &it->second;
}

/// The member must be exactly this text.
void CheckWord(const Json& object, std::string_view key, const std::string& expected,
               const Lines* lines, std::vector<FieldError>& errors) {
  const Json* value = Find(object, {key});
  if (value != nullptr && *value == expected) return;
  std::string message = "must be " + expected;
  if (value != nullptr && value->is_string()) {
    message += ", was " + Quote(value->get_ref<const std::string&>());
  }
  const Lines* at = LinesOf(lines, key);
  errors.push_back({std::string(key), std::move(message), at == nullptr ? 0 : at->line});
}

}  // namespace

std::vector<FieldError> CheckMetadata(const Json& object, const Lines* lines) {
  std::vector<FieldError> errors;
  const std::string api = std::string(contract::kGroup) + "/" + std::string(contract::kVersionName);
  CheckWord(object, "apiVersion", api, lines, errors);
  CheckWord(object, "kind", std::string(contract::kKind), lines, errors);
  const Json* metadata = Find(object, {"metadata"});
  const Lines* at = LinesOf(lines, "metadata");
  Lines wrapped;
  if (at != nullptr) wrapped.members["m"] = *at;
  const Json wrapper = {{"m", metadata == nullptr ? Json::object() : *metadata}};
  for (FieldError& error :
       CheckSchema(MetadataSchema(), wrapper, at == nullptr ? nullptr : &wrapped)) {
    error.field = "metadata" + error.field.substr(1);
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace torchsoak::spec
