#include "common/spec/rules.h"

#include <algorithm>
#include <string>
#include <utility>

namespace torchsoak::spec {
namespace {

constexpr std::size_t kMaxErrors = 20;

const Rule* FindRule(std::string_view text) {
  const auto rules = Rules();
  const auto it =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.text == text; });
  return it == rules.end() ? nullptr : &*it;
}

const Lines* MemberLines(const Lines* lines, std::string_view key) {
  if (lines == nullptr) return nullptr;
  const auto it = lines->members.find(key);
  return it == lines->members.end() ? lines : &it->second;
}

/// The line of ".params.kernel" below `lines`, or of the deepest part of it that is there.
int LineAt(const Lines* lines, std::string_view field_path) {
  while (!field_path.empty()) {
    field_path.remove_prefix(1);  // the dot
    const std::size_t end = std::min(field_path.find('.'), field_path.size());
    lines = MemberLines(lines, field_path.substr(0, end));
    field_path.remove_prefix(end);
  }
  return lines == nullptr ? 0 : lines->line;
}

class RuleChecker {
 public:
  std::vector<FieldError> Run(const Json& schema, const Json& value, const Json* old,
                              const Lines* lines) {
    Check(schema, value, old, lines);
    return std::move(errors_);
  }

 private:
  void Check(const Json& schema, const Json& value, const Json* old, const Lines* lines) {
    if (const Json* rules = Find(schema, {"x-kubernetes-validations"})) {
      for (const Json& rule : *rules)
        CheckRule(rule, {value, old == nullptr ? null_ : *old, schema}, lines);
    }
    if (errors_.size() >= kMaxErrors) return;
    if (value.is_object()) return CheckMembers(schema, value, old, lines);
    if (value.is_array()) CheckItems(schema, value, lines);
  }

  void CheckRule(const Json& rule, const RuleInput& in, const Lines* lines) {
    const Rule* twin = FindRule(GetString(rule, {"rule"}));
    if (twin == nullptr || (twin->update_only && in.old.is_null()) || twin->holds(in)) return;
    const std::string below = GetString(rule, {"fieldPath"});
    std::string field = path_ + below;
    if (path_.empty()) field = below.empty() ? "metadata.name" : below.substr(1);
    if (twin->update_only && path_.empty()) field = "status";
    errors_.push_back({std::move(field), GetString(rule, {"message"}), LineAt(lines, below)});
  }

  void CheckMembers(const Json& schema, const Json& value, const Json* old, const Lines* lines) {
    const Json* properties = Find(schema, {"properties"});
    if (properties == nullptr) return;
    for (const auto& [key, member] : value.items()) {
      const auto property = properties->find(key);
      if (property == properties->end()) continue;
      const Json* before = old == nullptr ? nullptr : Find(*old, {key});
      const std::size_t length = path_.size();
      path_ += (path_.empty() ? "" : ".") + key;
      Check(*property, member, before, MemberLines(lines, key));
      path_.resize(length);
    }
  }

  /// No rule below a list looks at oldSelf, so items need not be matched with their older selves.
  void CheckItems(const Json& schema, const Json& value, const Lines* lines) {
    const Json* items = Find(schema, {"items"});
    if (items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::size_t length = path_.size();
      path_ += "[" + std::to_string(i) + "]";
      const bool known = lines != nullptr && i < lines->items.size();
      Check(*items, value[i], nullptr, known ? &lines->items[i] : lines);
      path_.resize(length);
    }
  }

  std::string path_;
  std::vector<FieldError> errors_;
  const Json null_;
};

}  // namespace

std::vector<FieldError> CheckRules(const Json& schema, const Json& value, const Json* old,
                                   const Lines* lines) {
  return RuleChecker().Run(schema, value, old, lines);
}

}  // namespace torchsoak::spec
