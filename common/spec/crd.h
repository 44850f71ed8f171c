#pragma once
// The CRD that is compiled in, as JSON. Made on first use, then shared and never changed.

#include "common/base/json.h"

namespace torchsoak::spec {

/// The whole of crds/stresstests.yaml, its anchors and merge keys resolved.
const Json& Crd();

/// openAPIV3Schema of v1alpha1. Part of Crd().
const Json& StressTestSchema();

}  // namespace torchsoak::spec
