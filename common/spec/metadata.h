#pragma once
// The parts of an object that no CRD describes: apiVersion, kind and metadata.

#include <vector>

#include "common/base/json.h"
#include "common/spec/load.h"
#include "common/spec/yaml.h"

namespace torchsoak::spec {

/// What is wrong with them. `lines` may be null. The name's form is the CRD's own rule.
std::vector<FieldError> CheckMetadata(const Json& object, const Lines* lines);

}  // namespace torchsoak::spec
