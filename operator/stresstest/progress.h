#pragma once
// What the status says while a run is on its way: phase, sentence, Scheduled and Running. Pure.

#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// `job` is there; `pod` may be nullptr.
void ShowProgress(const Observed& observed, const JobView& job, const PodView* pod,
                  TestStatus& status);

}  // namespace torchsoak::stresstest
