#pragma once
// Names and kinds that the domain uses; all of them a function of the test, so that a restart or a
// second leader arrives at the same ones.

#include <cstdint>
#include <string>

#include "common/base/json.h"
#include "operator/k8s/resource.h"

namespace torchsoak::stresstest {

inline const k8s::ResourceType kStressTests{"torchsoak.dev", "v1alpha1", "stresstests",
                                            "StressTest"};
inline const k8s::ResourceType kJobs{"batch", "v1", "jobs", "Job"};
inline const k8s::ResourceType kPods{"", "v1", "pods", "Pod"};
inline const k8s::ResourceType kConfigMaps{"", "v1", "configmaps", "ConfigMap"};

/// "<test>-r000-a1": one Job is one attempt of one run. At most 40 + 11 characters, so that the
/// pod's name with its random suffix stays under 63.
std::string JobName(const std::string& test, std::int64_t run, std::int64_t attempt);

/// "<test>-results-0".
std::string ResultsName(const std::string& test, int index);

/// The list of ownerReferences that makes a child go when its test goes.
Json OwnedBy(const std::string& test, const k8s::Uid& uid);

}  // namespace torchsoak::stresstest
