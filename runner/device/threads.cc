#include "runner/device/threads.h"

#include <ATen/Parallel.h>

namespace torchsoak::runner {

void SetComputeThreads(int count) {
  at::set_num_threads(count);
  // Allowed once in a process, and only before the pool exists.
  static const bool kInterop = [] {
    at::set_num_interop_threads(1);
    return true;
  }();
  (void)kInterop;
}

}  // namespace torchsoak::runner
