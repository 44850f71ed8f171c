#pragma once
// The CRD's CEL rules and their twins in C++.
//
// A twin is found by its rule's exact text; message and field come from the CRD. A test walks the
// CRD and fails for a rule without a twin, a twin without a rule, or a rule in another place than
// the table says. Rules that use oldSelf are "update only": they hold between an old and a new
// object.

#include <span>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/spec/load.h"
#include "common/spec/yaml.h"

namespace torchsoak::spec {

/// What a rule sees. Values went through the schema: types fit and defaults are filled in.
struct RuleInput {
  const Json& self;
  const Json& old;     ///< oldSelf; null (JSON) for rules that do not use it
  const Json& schema;  ///< of self: lists of type map compare without order
};

struct Rule {
  std::string_view text;  ///< as in the CRD
  std::string_view
      paths;  ///< of the schemas it stands at, blank-separated; items are [], the root .
  bool update_only;
  bool (*holds)(const RuleInput&);
};

/// All twins.
std::span<const Rule> Rules();

/// The rules that `value` breaks, with the CRD's message and field, at most 20. `old` is the stored
/// object on an update and null otherwise: then update-only rules are not asked. `lines` may be
/// null.
std::vector<FieldError> CheckRules(const Json& schema, const Json& value, const Json* old,
                                   const Lines* lines);

}  // namespace torchsoak::spec
