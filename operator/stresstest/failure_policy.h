#pragma once
// How a pod's end becomes a verdict: one policy, one file. Pure.
//
// Takes nothing on trust: exit code, container state and the self-checking message must agree, and
// whatever is missing makes the verdict Inconclusive or Error, never Passed.

#include <cstdint>
#include <string>
#include <vector>

#include "common/contract/result.h"
#include "common/contract/verdict.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// What is known about an attempt that is over.
struct Ending {
  const PodView* pod = nullptr;    ///< nullptr: no pod was ever seen
  contract::DecodedResult result;  ///< of its termination message
  std::string stopping;            ///< why the operator ended it, "" when it did not
  std::string stopping_detail;     ///< sentence that goes with it
  k8s::Uid test_uid;
  std::int64_t attempt = 1;
  std::vector<std::string> required;  ///< names of the gates that the spec asks for
  std::string memory_limit;           ///< spec.resources.memory, "" when there is none
};

contract::Outcome Judge(const Ending& ending);

}  // namespace torchsoak::stresstest
