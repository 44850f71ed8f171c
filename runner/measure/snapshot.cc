#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

std::string_view ToString(Phase phase) {
  switch (phase) {
    case Phase::kStart:
      return "started";
    case Phase::kPreflight:
      return "preflight";
    case Phase::kPrepare:
      return "prepare";
    case Phase::kWarmup:
      return "warmup";
    case Phase::kMeasure:
      return "measured";
    case Phase::kFlush:
      return "flushed";
  }
  return "started";
}

}  // namespace torchsoak::runner
