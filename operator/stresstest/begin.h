#pragma once
// Before an attempt has a Job: create it, or say why there is none, or end the test. Pure.

#include "common/contract/spec.h"
#include "operator/stresstest/attempt.h"
#include "operator/stresstest/decide.h"
#include "operator/stresstest/observed.h"
#include "operator/stresstest/plan.h"

namespace torchsoak::stresstest {

/// `attempt` has neither a Job nor a line in the status. Writes into `plan`.
void Begin(const Observed& observed, const Settings& settings, const contract::Spec& spec,
           Attempt& attempt, Plan& plan);

/// True when timeouts.total has passed. Otherwise the plan looks again when it will have.
bool TotalIsOver(const Observed& observed, const contract::Spec& spec, Plan& plan);

}  // namespace torchsoak::stresstest
