#include "runner/device/backend_flags.h"

#include <ATen/Context.h>

#include <cstdlib>

namespace torchsoak::runner {

void SetDeterministic(bool deterministic) {
  at::Context& context = at::globalContext();
  context.setDeterministicCuDNN(deterministic);
  context.setDeterministicAlgorithms(deterministic, /*warn_only=*/false);
  if (!deterministic) return;
  constexpr int kKeep = 0;  // whoever set it knows why
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", kKeep);
}

void SetBackendFlags(const contract::BackendSpec& backend) {
  at::Context& context = at::globalContext();
  context.setBenchmarkCuDNN(backend.cudnn_benchmark);
  context.setAllowTF32CuBLAS(backend.tf32);
  context.setAllowTF32CuDNN(backend.tf32);
  SetDeterministic(backend.deterministic);
}

}  // namespace torchsoak::runner
