#pragma once

#include "tests/unit/operator/http/certificates.h"

namespace torchsoak::http {

/// The authority whose certificate is the system's trust store while these tests run.
const Pair& SystemAuthority();

}  // namespace torchsoak::http
