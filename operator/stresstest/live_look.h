#pragma once
// The API server's word instead of the cache's, for decisions that hang on an absence.

#include <stop_token>

#include "common/base/error.h"
#include "operator/k8s/client.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// Replaces jobs and pods of `observed` by what the API server has now: the Job of the current
/// attempt by its name, the pods by their label and the attempt's own by its name, so that nothing
/// hides by losing a label. The last states of pods that are gone are kept.
///
/// kThrottled: a pod has just gone and its last words are on their way to the cache; ask again.
/// Otherwise errors as of Client::Get and List; then `observed` is unchanged.
Status LookLive(k8s::Client& client, Observed& observed, std::stop_token stop);

}  // namespace torchsoak::stresstest
