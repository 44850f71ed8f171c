#pragma once
// All schemas of the CRD with their paths, as rules.h writes them: items are [], values of maps {}.

#include <string>

#include "common/spec/crd.h"

namespace torchsoak::spec {

template <typename Visit>
void WalkSchema(const std::string& path, const Json& schema, Visit visit) {
  visit(path, schema);
  if (const Json* properties = Find(schema, {"properties"})) {
    for (const auto& [key, property] : properties->items()) {
      WalkSchema(path.empty() ? key : path + "." + key, property, visit);
    }
  }
  if (const Json* items = Find(schema, {"items"})) WalkSchema(path + "[]", *items, visit);
  const Json* values = Find(schema, {"additionalProperties"});
  if (values != nullptr && values->is_object()) WalkSchema(path + "{}", *values, visit);
}

template <typename Visit>
void ForEachSchema(Visit visit) {
  WalkSchema("", StressTestSchema(), visit);
}

}  // namespace torchsoak::spec
