#include "common/spec/schema_scalar.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/text.h"

namespace torchsoak::spec {
namespace {

std::string TypeName(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "boolean";
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "null";
}

/// JSON does not tell 5.0 from 5.
bool IsWhole(const Json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && value.get<double>() == std::floor(value.get<double>());
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "integer") return IsWhole(value);
  if (type == "number") return value.is_number();
  return TypeName(value) == type;
}

/// Patterns are the CRD's, a closed set: compiled once each. RE2 is what the API server's Go uses,
/// and takes linear time on whatever it is given.
const RE2& Pattern(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<RE2>> patterns;
  const std::lock_guard lock(mutex);
  auto& pattern = patterns[text];
  if (!pattern) pattern = std::make_unique<RE2>(text, RE2::Quiet);
  return *pattern;
}

/// Characters, as the schema counts them.
std::int64_t Length(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

std::optional<std::string> CheckText(const Json& schema, const std::string& text) {
  const std::int64_t length = Length(text);
  const auto most = GetInt(schema, {"maxLength"});
  if (most && length > *most) {
    return "must have at most " + std::to_string(*most) + " characters, has " +
           std::to_string(length);
  }
  const auto least = GetInt(schema, {"minLength"});
  if (least && length < *least) {
    return length == 0 ? "must not be empty"
                       : "must have at least " + std::to_string(*least) + " characters";
  }
  const std::string pattern = GetString(schema, {"pattern"});
  if (pattern.empty() || RE2::PartialMatch(text, Pattern(pattern))) return std::nullopt;
  std::string message = Quote(text) + " does not match " + pattern;
  const std::string description = GetString(schema, {"description"});
  if (!description.empty()) message += " (" + description + ")";
  return message;
}

std::optional<std::string> CheckNumber(const Json& schema, const Json& value) {
  const auto below = [](const Json& a, const Json& b) { return a < b; };  // exact for mixed types
  if (const Json* least = Find(schema, {"minimum"}); least != nullptr && below(value, *least)) {
    return "must be at least " + least->dump() + ", was " + Show(value);
  }
  if (const Json* most = Find(schema, {"maximum"}); most != nullptr && below(*most, value)) {
    return "must be at most " + most->dump() + ", was " + Show(value);
  }
  const std::string format = GetString(schema, {"format"});
  const double number = value.get<double>();
  if (format == "int32" && (number < -2147483648.0 || number > 2147483647.0)) {
    return "must fit 32 bits, was " + Show(value);
  }
  const bool exact = GetInt(value, {}).has_value();  // as a double the largest would look too large
  const bool fits64 = exact || (number >= -9223372036854775808.0 && number < 9223372036854775808.0);
  if (format == "int64" && !fits64) {
    return "must fit 64 bits, was " + Show(value);
  }
  return std::nullopt;
}

std::optional<std::string> CheckEnum(const Json& schema, const Json& value) {
  const Json* words = Find(schema, {"enum"});
  if (words == nullptr || std::find(words->begin(), words->end(), value) != words->end()) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  std::string list;
  for (const Json& word : *words) {
    names.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    list += (list.empty() ? "" : ", ") + (names.back().empty() ? "\"\"" : names.back());
  }
  std::string message = "must be one of " + list + ", was " + Show(value);
  const std::string nearest = value.is_string() ? Nearest(value.get<std::string>(), names) : "";
  if (!nearest.empty()) message += "; did you mean " + nearest + "?";
  return message;
}

}  // namespace

std::optional<std::string> CheckType(const Json& schema, const Json& value) {
  if (GetBool(schema, {"x-kubernetes-int-or-string"})) {
    if (IsWhole(value) || value.is_string()) return std::nullopt;
    return "must be integer or string, was " + TypeName(value);
  }
  const std::string type = GetString(schema, {"type"});
  if (type.empty() || HasType(value, type)) return std::nullopt;
  if (value.is_null() && GetBool(schema, {"nullable"})) return std::nullopt;
  std::string message = "must be " + type + ", was " + TypeName(value);
  if (value.is_structured() || value.is_null()) return message;
  message += " " + Show(value);
  if (type == "string") message += "; put the text in quotes";
  return message;
}

std::optional<std::string> CheckScalar(const Json& schema, const Json& value) {
  if (auto wrong = CheckEnum(schema, value)) return wrong;
  if (value.is_string()) return CheckText(schema, value.get_ref<const std::string&>());
  if (value.is_number()) return CheckNumber(schema, value);
  return std::nullopt;
}

std::string Show(const Json& value) {
  if (value.is_string()) return Quote(value.get_ref<const std::string&>());
  return Shorten(DumpJson(value), 64);
}

}  // namespace torchsoak::spec
