#include "common/spec/schema.h"

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/spec/schema_scalar.h"

namespace torchsoak::spec {
namespace {

constexpr std::size_t kMaxErrors = 20;
constexpr std::size_t kMaxShownNames = 12;

const Json* Property(const Json& schema, const std::string& key) {
  const Json* property = Find(schema, {"properties", key});
  return property != nullptr ? property : Find(schema, {"additionalProperties"});
}

/// Walks value and schema together and collects what is wrong.
class Checker {
 public:
  std::vector<FieldError> Run(const Json& schema, const Json& value, const Lines* lines) {
    Check(schema, value, lines);
    return std::move(errors_);
  }

 private:
  void Add(std::string message, const Lines* lines) {
    errors_.push_back({path_, std::move(message), lines == nullptr ? 0 : lines->line});
  }

  bool full() const { return errors_.size() >= kMaxErrors; }

  /// Runs `body` with the path one step longer.
  template <typename Body>
  void Within(const std::string& step, Body body) {
    const std::size_t length = path_.size();
    path_ += step;
    body();
    path_.resize(length);
  }

  std::string Step(const std::string& key) const { return path_.empty() ? key : "." + key; }

  void Check(const Json& schema, const Json& value, const Lines* lines) {
    if (full()) return;
    if (auto wrong = CheckType(schema, value)) return Add(std::move(*wrong), lines);
    if (value.is_object()) return CheckObject(schema, value, lines);
    if (value.is_array()) return CheckArray(schema, value, lines);
    if (auto wrong = CheckScalar(schema, value)) Add(std::move(*wrong), lines);
  }

  void CheckObject(const Json& schema, const Json& value, const Lines* lines) {
    if (const auto most = GetInt(schema, {"maxProperties"});
        most && static_cast<std::int64_t>(value.size()) > *most) {
      Add("must have at most " + std::to_string(*most) + " members, has " +
              std::to_string(value.size()),
          lines);
    }
    for (const auto& [key, member] : value.items()) {
      if (full()) return;
      if (path_.empty() && key == "metadata") continue;
      const Lines* at = MemberLines(lines, key);
      Within(Step(key),
             [&, &key = key, &member = member] { CheckMember(schema, key, member, at); });
    }
    const Json* required = Find(schema, {"required"});
    if (required == nullptr) return;
    for (const Json& name : *required) {
      const auto& key = name.get_ref<const std::string&>();
      if (value.contains(key)) continue;
      Within(Step(key), [&] { Add("is required", lines); });
    }
  }

  void CheckMember(const Json& schema, const std::string& key, const Json& member,
                   const Lines* lines) {
    const Json* property = Property(schema, key);
    if (property != nullptr && property->is_object()) return Check(*property, member, lines);
    if (GetBool(schema, {"x-kubernetes-preserve-unknown-fields"})) return;
    Add(UnknownField(schema, key), lines);
  }

  static std::string UnknownField(const Json& schema, const std::string& key) {
    std::vector<std::string> known;
    if (const Json* properties = Find(schema, {"properties"})) {
      for (const auto& [name, property] : properties->items()) known.push_back(name);
    }
    const std::string nearest = Nearest(key, known);
    if (!nearest.empty()) return "unknown field; did you mean " + nearest + "?";
    if (known.empty() || known.size() > kMaxShownNames) return "unknown field";
    std::string text = "unknown field; known here:";
    for (const std::string& name : known) text += (name == known.front() ? " " : ", ") + name;
    return text;
  }

  static const Lines* MemberLines(const Lines* lines, const std::string& key) {
    if (lines == nullptr) return nullptr;
    const auto it = lines->members.find(key);
    return it == lines->members.end() ? lines : &it->second;
  }

  static const Lines* ItemLines(const Lines* lines, std::size_t at) {
    return lines == nullptr || at >= lines->items.size() ? lines : &lines->items[at];
  }

  void CheckArray(const Json& schema, const Json& value, const Lines* lines) {
    if (const auto most = GetInt(schema, {"maxItems"});
        most && static_cast<std::int64_t>(value.size()) > *most) {
      return Add("must have at most " + std::to_string(*most) + " items, has " +
                     std::to_string(value.size()),
                 lines);
    }
    if (const auto least = GetInt(schema, {"minItems"});
        least && static_cast<std::int64_t>(value.size()) < *least) {
      Add("must have at least " + std::to_string(*least) + " items", lines);
    }
    const Json* items = Find(schema, {"items"});
    std::set<Json> seen;
    for (std::size_t i = 0; i < value.size() && !full(); ++i) {
      Within("[" + std::to_string(i) + "]", [&] {
        const Lines* at = ItemLines(lines, i);
        if (items != nullptr) Check(*items, value[i], at);
        const auto key = IdentityOf(schema, value[i]);
        if (key && !seen.insert(*key).second) Add("duplicate of an item before: " + Show(*key), at);
      });
    }
  }

  /// What must be unique in a list of type set or map; nothing in an atomic one.
  static std::optional<Json> IdentityOf(const Json& schema, const Json& item) {
    const std::string type = GetString(schema, {"x-kubernetes-list-type"});
    if (type == "set") return item;
    const Json* keys = Find(schema, {"x-kubernetes-list-map-keys"});
    if (type != "map" || keys == nullptr || !item.is_object()) return std::nullopt;
    Json identity = Json::object();
    for (const Json& name : *keys) {
      const auto& key = name.get_ref<const std::string&>();
      if (const auto it = item.find(key); it != item.end()) identity[key] = *it;
    }
    return identity;
  }

  std::string path_;
  std::vector<FieldError> errors_;
};

void DefaultMembers(const Json& schema, Json& value) {
  const Json* properties = Find(schema, {"properties"});
  if (properties != nullptr) {
    for (const auto& [key, property] : properties->items()) {
      const Json* otherwise = Find(property, {"default"});
      if (otherwise != nullptr && !value.contains(key)) value[key] = *otherwise;
    }
  }
  for (auto& [key, member] : value.items()) {
    const Json* property = Property(schema, key);
    if (property != nullptr && property->is_object()) ApplyDefaults(*property, member);
  }
}

void DropNulls(const Json& schema, Json& value) {
  for (auto it = value.begin(); it != value.end();) {
    const Json* property = Property(schema, it.key());
    const bool ours =
        property != nullptr && property->is_object() && !GetBool(*property, {"nullable"});
    it = it->is_null() && ours ? value.erase(it) : std::next(it);
  }
}

constexpr std::array<std::string_view, 25> kKeywords = {"type",
                                                        "description",
                                                        "properties",
                                                        "required",
                                                        "enum",
                                                        "minimum",
                                                        "maximum",
                                                        "minLength",
                                                        "maxLength",
                                                        "pattern",
                                                        "format",
                                                        "default",
                                                        "items",
                                                        "minItems",
                                                        "maxItems",
                                                        "maxProperties",
                                                        "additionalProperties",
                                                        "nullable",
                                                        "title",
                                                        "x-kubernetes-list-type",
                                                        "x-kubernetes-list-map-keys",
                                                        "x-kubernetes-preserve-unknown-fields",
                                                        "x-kubernetes-int-or-string",
                                                        "x-kubernetes-validations",
                                                        "x-kubernetes-map-type"};

}  // namespace

void ApplyDefaults(const Json& schema, Json& value) {
  if (value.is_object()) {
    DropNulls(schema, value);
    DefaultMembers(schema, value);
  } else if (value.is_array()) {
    const Json* items = Find(schema, {"items"});
    if (items == nullptr) return;
    for (Json& item : value) ApplyDefaults(*items, item);
  }
}

std::vector<FieldError> CheckSchema(const Json& schema, const Json& value, const Lines* lines) {
  return Checker().Run(schema, value, lines);
}

std::span<const std::string_view> KnownKeywords() { return kKeywords; }

}  // namespace torchsoak::spec
