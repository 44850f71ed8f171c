#include "common/spec/load.h"

#include <iterator>
#include <utility>

#include "common/contract/spec.h"
#include "common/spec/crd.h"
#include "common/spec/metadata.h"
#include "common/spec/rules.h"
#include "common/spec/schema.h"
#include "common/spec/yaml.h"

namespace torchsoak::spec {
namespace {

void Append(std::vector<FieldError>& errors, std::vector<FieldError> more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// The line of "spec.thresholds[0].min", or of the deepest part of it that is there.
int LineOf(const Lines& lines, std::string_view path) {
  const Lines* at = &lines;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
    std::string_view step = path.substr(0, end);
    path.remove_prefix(end);
    if (step.starts_with('[')) {
      const std::size_t index = std::strtoul(std::string(step.substr(1)).c_str(), nullptr, 10);
      if (index >= at->items.size()) break;
      at = &at->items[index];
      continue;
    }
    if (step.starts_with('.')) step.remove_prefix(1);
    const auto member = at->members.find(step);
    if (member == at->members.end()) break;
    at = &member->second;
  }
  return at->line;
}

/// What schema and rules let through and the operator would still refuse, such as min above max.
void CheckReadable(const Json& object, const Lines* lines, std::vector<FieldError>& errors) {
  const auto spec = contract::ParseSpec(object.at("spec"));
  if (spec) return;
  const std::string& text = spec.error().message;
  const std::size_t colon = text.find(": ");
  FieldError error{"spec", text, 0};
  if (colon != std::string::npos) error = {text.substr(0, colon), text.substr(colon + 2), 0};
  if (lines != nullptr) error.line = LineOf(*lines, error.field);
  errors.push_back(std::move(error));
}

Loaded Validate(Json object, const Json* old, const Lines* lines) {
  if (!object.is_object()) {
    const std::string what = object.is_null() ? "the file is empty" : "not an object";
    return tl::unexpected(std::vector<FieldError>{{"", what, lines == nullptr ? 0 : lines->line}});
  }
  // As on the server: a status that comes with a create is not looked at.
  if (old == nullptr) object.erase("status");
  ApplyDefaults(StressTestSchema(), object);
  std::vector<FieldError> errors = CheckMetadata(object, lines);
  Append(errors, CheckSchema(StressTestSchema(), object, lines));
  if (errors.empty()) errors = CheckRules(StressTestSchema(), object, old, lines);
  if (errors.empty()) CheckReadable(object, lines, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return object;
}

}  // namespace

std::string Describe(std::string_view file, const std::vector<FieldError>& errors) {
  std::string out;
  for (const FieldError& error : errors) {
    out += file;
    if (error.line > 0) out += ":" + std::to_string(error.line);
    out += ": ";
    if (!error.field.empty()) out += error.field + ": ";
    out += error.message + "\n";
  }
  return out;
}

Loaded LoadStressTest(std::string_view yaml) {
  auto document = ParseYaml(yaml);
  if (!document) return tl::unexpected(std::vector<FieldError>{std::move(document.error())});
  return Validate(std::move(document->value), nullptr, &document->lines);
}

Loaded ValidateStressTest(const Json& object) { return Validate(object, nullptr, nullptr); }

Loaded ValidateUpdate(const Json& old, const Json& object) {
  Json before = old;
  ApplyDefaults(StressTestSchema(), before);
  return Validate(object, &before, nullptr);
}

}  // namespace torchsoak::spec
