#pragma once
// A structural schema (the CRD's part of OpenAPI v3) applied to an object as the API server does.
//
// Order, as there: ApplyDefaults, then CheckSchema, then the CEL rules (rules.h) when the schema
// found nothing. Pure; any thread.

#include <span>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/spec/load.h"
#include "common/spec/yaml.h"

namespace torchsoak::spec {

/// Drops null members, since nothing here is nullable, and fills in missing ones from the schema's
/// defaults: parents first, so that the default {} of an object gets its members' defaults.
void ApplyDefaults(const Json& schema, Json& value);

/// Everything that is wrong with `value`, at most 20 things, in the order of the object's members.
/// The root's `metadata` is left out: a schema says nothing about it. `lines` may be null.
std::vector<FieldError> CheckSchema(const Json& schema, const Json& value, const Lines* lines);

/// The keywords that CheckSchema obeys or may ignore. A schema with others would not be obeyed.
std::span<const std::string_view> KnownKeywords();

}  // namespace torchsoak::spec
