#pragma once
// A StressTest file read as the API server would read it, without an API server.
//
// Structure, defaults and bounds come from the embedded CRD (crds/stresstests.yaml); each of its
// CEL rules has a twin in C++ (rules.h). Stricter than YAML where readers of YAML disagree:
// duplicate keys, merge keys, anchors and second documents are refused. Stricter than the API
// server in what the operator would end as Error/InvalidSpec anyway, such as min above max.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"

namespace torchsoak::spec {

/// One thing that is wrong: "spec.training.batchSize" / "must be at least 1, was 0" / line 9.
struct FieldError {
  std::string field;
  std::string message;
  int line = 0;  ///< 1-based; 0 when unknown
};

/// All errors in one text for people: "FILE:LINE: field: message" a line.
std::string Describe(std::string_view file, const std::vector<FieldError>& errors);

/// A whole StressTest object with defaults filled in.
using Loaded = tl::expected<Json, std::vector<FieldError>>;

/// Reads and validates one StressTest. At most 1 MiB of text.
Loaded LoadStressTest(std::string_view yaml);

/// The same for an object that is already JSON (no line numbers). Like the API server on a create,
/// both leave `status` out.
Loaded ValidateStressTest(const Json& object);

/// Whether `object` may replace the stored `old`: all of the above, and the rules about immutable
/// fields. `status` is kept and checked.
Loaded ValidateUpdate(const Json& old, const Json& object);

}  // namespace torchsoak::spec
