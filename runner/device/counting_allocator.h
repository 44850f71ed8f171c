#pragma once
// LibTorch's CPU allocator with a count: how many tensors' storages are alive and how many bytes
// they asked for. On a CPU run this is what a caching allocator's statistics are on a GPU: exact,
// so that one leaked scalar is seen.
//
// Thread-safe. Costs 64 bytes and a few relaxed atomics per allocation.

#include <cstdint>

namespace torchsoak::runner {

struct AllocationCounts {
  std::int64_t objects = 0;
  std::int64_t bytes = 0;
  std::int64_t peak_bytes = 0;  ///< highest since the last reset
};

/// Makes it LibTorch's CPU allocator, for good. Call before the first tensor; again does nothing.
void InstallCountingAllocator();

AllocationCounts CpuAllocations();
void ResetCpuPeak();

}  // namespace torchsoak::runner
