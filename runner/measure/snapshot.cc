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
    case Phase::kCanary:
      return "canary";
    case Phase::kWarmup:
      return "warmup";
    case Phase::kMeasure:
      return "measured";
    case Phase::kFlush:
      return "flushed";
  }
  return "started";
}

std::string_view ToString(Canary::State state) {
  switch (state) {
    case Canary::State::kProven:
      return "proven";
    case Canary::State::kSkipped:
      return "skipped";
    case Canary::State::kDead:
      return "dead";
  }
  return "dead";
}

}  // namespace torchsoak::runner
