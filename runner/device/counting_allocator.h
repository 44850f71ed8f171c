#pragma once
// LibTorch's CPU allocator with a count: how many tensors' storages are alive and how many bytes
// they asked for. On a CPU run this is what a caching allocator's statistics are on a GPU: exact,
// so that one leaked scalar is seen.
//
// Thread-safe. Costs 64 bytes and a few relaxed atomics per allocation.

#include <cstdint>

#include "runner/device/step_part.h"

namespace torchsoak::runner {

struct AllocationCounts {
  std::int64_t objects = 0;
  std::int64_t bytes = 0;
  std::int64_t peak_bytes = 0;  ///< highest since the last reset
  Birthplaces born{};           ///< objects by the part of a step in which they were allocated
};

/// Makes it LibTorch's CPU allocator, for good. Call before the first tensor; again does nothing.
void InstallCountingAllocator();

AllocationCounts CpuAllocations();

/// What all threads allocate until `~InStepPart` is the work of this part. Not nested; one at a
/// time in the process.
class InStepPart {
 public:
  explicit InStepPart(StepPart part);
  ~InStepPart();
  InStepPart(const InStepPart&) = delete;
  InStepPart& operator=(const InStepPart&) = delete;
};

void ResetCpuPeak();

}  // namespace torchsoak::runner
