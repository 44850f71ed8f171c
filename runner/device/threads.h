#pragma once

namespace torchsoak::runner {

/// Threads inside an operator (OpenMP, MKL) for the calling thread and those it starts later; one
/// thread between operators. Call at the start of every thread that computes.
void SetComputeThreads(int count);

}  // namespace torchsoak::runner
