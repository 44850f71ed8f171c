#pragma once

#include "common/contract/spec.h"

namespace torchsoak::runner {

/// Sets LibTorch's flags for the whole process; for `deterministic` also the environment variable
/// that cuBLAS wants, so before the first product on a GPU. `threads` is not among them
/// (threads.h).
void SetBackendFlags(const contract::BackendSpec& backend);

}  // namespace torchsoak::runner
