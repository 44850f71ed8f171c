#pragma once

#include "common/contract/spec.h"

namespace torchsoak::runner {

/// Deterministic algorithms only, or LibTorch's usual ones, for the whole process. Sets the
/// environment variable that cuBLAS then wants, so before the first product on a GPU, and while no
/// other thread reads the environment.
void SetDeterministic(bool deterministic);

/// All of LibTorch's flags in `backend`, for the whole process; `threads` is not among them
/// (threads.h).
void SetBackendFlags(const contract::BackendSpec& backend);

}  // namespace torchsoak::runner
