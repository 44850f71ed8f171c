#pragma once
// Strict reads from one JSON object that came from outside. Private to result_decode.cc.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace torchsoak::contract {

/// Reads and remembers whether anything was not as it must be: then the whole object is worth
/// nothing. Keeps a reference to the object.
class Checked {
 public:
  explicit Checked(const Json& json) : json_(json), ok_(json.is_object()) {}

  bool ok() const { return ok_; }

  std::int64_t Count(std::string_view key, std::int64_t low = 0,
                     std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
    const auto value = GetInt(json_, {key});
    if (!value || *value < low || *value > high) return Bad(std::int64_t{0});
    return *value;
  }

  std::string Text(std::string_view key, bool required = false) {
    const Json* value = Find(json_, {key});
    if (value == nullptr && !required) return "";
    if (value == nullptr || !value->is_string()) return Bad(std::string());
    return value->get<std::string>();
  }

  bool Flag(std::string_view key) {
    const Json* value = Find(json_, {key});
    if (value == nullptr) return false;
    return value->is_boolean() ? value->get<bool>() : Bad(false);
  }

  std::optional<double> Number(std::string_view key) {
    const Json* value = Find(json_, {key});
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || !std::isfinite(value->get<double>())) {
      return Bad(std::optional<double>());
    }
    return value->get<double>();
  }

  template <typename E>
  E Word(std::string_view key, std::optional<E> (*parse)(std::string_view), E otherwise) {
    const std::optional<E> value = parse(Text(key, true));
    return value ? *value : Bad(otherwise);
  }

  bool Has(std::string_view key) const { return Find(json_, {key}) != nullptr; }

  template <typename T>
  T Bad(T otherwise) {
    ok_ = false;
    return otherwise;
  }

 private:
  const Json& json_;
  bool ok_;
};

}  // namespace torchsoak::contract
