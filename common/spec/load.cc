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

/// Schema and rules let nothing through that cannot be read (the fuzzer looks for it); if they did,
/// it would be refused here, and not by the operator later.
void CheckReadable(const Json& object, std::vector<FieldError>& errors) {
  const auto spec = contract::ParseSpec(object.at("spec"));
  if (!spec) errors.push_back({"spec", spec.error().message, 0});
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
  if (errors.empty()) CheckReadable(object, errors);
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
