#pragma once
// JSON from others, read without exceptions and without surprises.
//
// nlohmann throws on a wrong type and writes NaN as null; these helpers do neither. A pointer path
// is given as keys: Find(j, {"status", "phase"}). References stay valid as long as the document.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "common/base/error.h"

namespace torchsoak {

using Json = nlohmann::json;

/// Parses one document of at most `max_bytes`. Fails with kInvalid (not JSON, nested deeper than
/// 100 levels) or kTooLarge.
Expected<Json> ParseJson(std::string_view text, std::size_t max_bytes = 16U << 20U);

/// The value at that path, or nullptr when any step is missing or not an object.
const Json* Find(const Json& json, std::initializer_list<std::string_view> path);

/// The string at that path, or `fallback` when missing or of another type.
std::string GetString(const Json& json, std::initializer_list<std::string_view> path,
                      std::string_view fallback = "");

/// The integer at that path; nothing when missing or not an integer that fits.
std::optional<std::int64_t> GetInt(const Json& json, std::initializer_list<std::string_view> path);

/// The boolean at that path, or `fallback`.
bool GetBool(const Json& json, std::initializer_list<std::string_view> path, bool fallback = false);

/// Compact text. Invalid UTF-8 is replaced, never thrown on. A NaN or infinity anywhere asserts in
/// debug builds: leave undefined numbers out instead.
std::string DumpJson(const Json& json);

}  // namespace torchsoak
