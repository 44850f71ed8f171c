#include "runner/app/malloc_settings.h"

#include <malloc.h>

namespace torchsoak::runner {

Json SetMallocThresholds() {
  // The most that glibc takes on 64 bits; larger blocks are mapped one by one.
  constexpr int kMmapThreshold = 32 << 20;
  constexpr int kTrimThreshold = 512 << 20;
  constexpr int kTopPad = 16 << 20;
  Json set = Json::object();
  if (mallopt(M_MMAP_THRESHOLD, kMmapThreshold) == 1) set["mmapThreshold"] = kMmapThreshold;
  if (mallopt(M_TRIM_THRESHOLD, kTrimThreshold) == 1) set["trimThreshold"] = kTrimThreshold;
  if (mallopt(M_TOP_PAD, kTopPad) == 1) set["topPad"] = kTopPad;
  return set;
}

}  // namespace torchsoak::runner
