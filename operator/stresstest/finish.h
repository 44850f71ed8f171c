#pragma once
// The end of a test: what the status says for good, and what may still happen afterwards. Pure.

#include "common/contract/spec.h"
#include "common/contract/verdict.h"
#include "operator/stresstest/observed.h"
#include "operator/stresstest/plan.h"

namespace torchsoak::stresstest {

/// Makes `plan.status` Finished with that outcome. `pod` is the one that did the work, or nullptr.
void Finish(const Observed& observed, const contract::Outcome& outcome, const PodView* pod,
            const contract::DecodedResult& result, Plan& plan);

/// For a test that is Finished already: its verdict is never touched again. Watches that its pods
/// really end (condition ResourcesReleased) and deletes it when its TTL has passed.
void AfterFinish(const Observed& observed, Plan& plan);

}  // namespace torchsoak::stresstest
