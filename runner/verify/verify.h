#pragma once
// Does a report's verdict follow from the evidence that it carries?
//
// The document is not believed: percentiles are taken from its histogram, extremes from its curves,
// leaks and drift are judged anew from its curves by the same detectors, thresholds are held
// against its numbers, and the verdict is concluded from the gates. A document that was changed
// after it was written does not fit its own seal, and the sha256 in the status of the test says
// whether it is the one that the operator stored. Pure.

#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/contract/verdict.h"

namespace torchsoak::runner {

struct Verification {
  contract::Outcome claimed;
  std::vector<std::string> problems;  ///< a sentence each, with both values; empty: it follows
  int numbers = 0;                    ///< metrics that were recomputed
  int gates = 0;                      ///< gates that were judged anew
};

/// kInvalid: no report of the schema torchsoak/v1, or its spec or outcome cannot be read.
Expected<Verification> VerifyReport(const Json& report);

}  // namespace torchsoak::runner
