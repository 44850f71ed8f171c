#include "common/base/json.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace torchsoak {
namespace {

constexpr int kMaxDepth = 100;

/// nlohmann's DOM is destroyed recursively: a depth limit keeps foreign text from eating the stack.
bool TooDeep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  bool escaped = false;
  for (const char c : text) {
    if (in_string) {
      if (escaped) {
        escaped = false;
      } else if (c == '\\') {
        escaped = true;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

[[maybe_unused]] bool AllFinite(const Json& json) {
  if (json.is_number_float()) return std::isfinite(json.get<double>());
  if (!json.is_structured()) return true;
  for (const Json& item : json) {
    if (!AllFinite(item)) return false;
  }
  return true;
}

}  // namespace

Expected<Json> ParseJson(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return Fail(ErrorCode::kTooLarge, "JSON of " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(max_bytes) +
                                          " are read");
  }
  if (TooDeep(text)) return Fail(ErrorCode::kInvalid, "JSON nested deeper than 100 levels");
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {  // parse_error, and out_of_range for numbers like 1e999
    return Fail(ErrorCode::kInvalid, std::string("not JSON: ") + e.what());
  }
}

const Json* Find(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto it = at->find(key);
    if (it == at->end()) return nullptr;
    at = &*it;
  }
  return at;
}

std::string GetString(const Json& json, std::initializer_list<std::string_view> path,
                      std::string_view fallback) {
  const Json* value = Find(json, path);
  if (value == nullptr || !value->is_string()) return std::string(fallback);
  return value->get<std::string>();
}

std::optional<std::int64_t> GetInt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* value = Find(json, path);
  if (value == nullptr || !value->is_number_integer()) return std::nullopt;
  if (value->is_number_unsigned() &&
      value->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return value->get<std::int64_t>();
}

bool GetBool(const Json& json, std::initializer_list<std::string_view> path, bool fallback) {
  const Json* value = Find(json, path);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
}

std::string DumpJson(const Json& json) {
  assert(AllFinite(json) && "nlohmann would write null for NaN");
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace torchsoak
