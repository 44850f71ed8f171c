#include "operator/stresstest/plan.h"

#include <algorithm>

namespace torchsoak::stresstest {

void Plan::LookAt(WallTime when, WallTime now) {
  using std::chrono::milliseconds;
  if (when == WallTime::max()) return;
  const auto wait = std::max(std::chrono::duration_cast<milliseconds>(when - now), milliseconds(1));
  if (!look_again || wait < *look_again) look_again = wait;
}

}  // namespace torchsoak::stresstest
