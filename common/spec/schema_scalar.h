#pragma once
// One value against its own schema, its members apart. Private to schema.cc.

#include <optional>
#include <string>

#include "common/base/json.h"

namespace torchsoak::spec {

/// What is wrong with the type of `value`, nothing when it fits: "must be string, was boolean
/// false".
std::optional<std::string> CheckType(const Json& schema, const Json& value);

/// The same for enum, bounds, lengths, pattern and format of a value whose type fits.
std::optional<std::string> CheckScalar(const Json& schema, const Json& value);

/// A value for a message, short.
std::string Show(const Json& value);

}  // namespace torchsoak::spec
