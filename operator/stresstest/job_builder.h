#pragma once
// From a spec to the child Job: one attempt, at most one pod, PodSecurity `restricted`, no
// service-account token. Pure.

#include <string>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/contract/spec.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// The manifest of that attempt. kTooLarge when the spec does not fit TORCHSOAK_RUN (32 KiB).
Expected<Json> BuildJob(const TestView& test, const contract::Spec& spec, std::int64_t attempt,
                        const std::string& image);

/// Size of /dev/shm: spec.pod.shmSize, else half of the memory limit up to 8Gi, else 64Mi.
std::string ShmSize(const contract::Spec& spec);

}  // namespace torchsoak::stresstest
