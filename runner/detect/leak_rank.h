#pragma once
// Which of two findings about leaks counts.

#include "common/contract/result.h"

namespace torchsoak::runner {

/// Found before suspected before none; what had no data hides no other's finding.
constexpr int RankOf(contract::LeakResult result) {
  switch (result) {
    case contract::LeakResult::kFound:
      return 3;
    case contract::LeakResult::kSuspected:
      return 2;
    case contract::LeakResult::kNone:
      return 1;
    case contract::LeakResult::kNotEnoughData:
      return 0;
  }
  return 0;
}

}  // namespace torchsoak::runner
