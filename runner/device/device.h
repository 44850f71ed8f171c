#pragma once
// Where the work runs, as far as measuring is concerned. Free of LibTorch, so that everything but
// runner/workload and runner/device compiles and is tested without it.

#include <cstdint>
#include <string>
#include <vector>

#include "runner/device/step_part.h"

namespace torchsoak::runner {

/// Live memory at this moment, as the allocator counts it.
struct MemoryUse {
  std::int64_t objects = 0;    ///< live allocations
  std::int64_t requested = 0;  ///< bytes asked for by them: exact, for the leak test
  std::int64_t allocated = 0;  ///< bytes they take (rounded up by a caching allocator)
  std::int64_t peak = 0;       ///< highest `allocated` since ResetPeak
  Birthplaces born{};          ///< `objects` by the part of a step that made them; known on a CPU
};

/// One piece of hardware that the run may use.
struct DeviceFacts {
  std::string name;               ///< "NVIDIA H200"; "" when unknown
  std::string uuid;               ///< "GPU-…" or "MIG-…"; "" when unknown
  std::int64_t total_memory = 0;  ///< bytes; 0 when unknown
};

/// Used by the measuring thread only.
class Device {
 public:
  virtual ~Device() = default;

  /// "cpu" or what LibTorch calls the kind of accelerator ("cuda").
  virtual std::string type() const = 0;

  /// The accelerators in the runtime's own numbering; empty on a CPU run.
  virtual const std::vector<DeviceFacts>& accelerators() const = 0;

  /// Sums over all devices of the run.
  virtual MemoryUse Memory() = 0;
  virtual void ResetPeak() = 0;

  /// Waits until everything that was started is done.
  virtual void Synchronize() = 0;
};

}  // namespace torchsoak::runner
