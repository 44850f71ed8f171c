#pragma once
// report.json: everything that a run knows, in one document of the schema "torchsoak/v1".
//
// Every number is finite; an undefined one is absent and says why. Pure.

#include <string>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/contract/report_frames.h"
#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "runner/measure/snapshot.h"
#include "runner/report/environment.h"

namespace torchsoak::runner {

inline constexpr const char* kReportSchema = "torchsoak/v1";

/// What does not change during a run.
struct RunFacts {
  contract::RunSpec run;
  contract::Spec spec;
  Environment environment;
  WallTime started{};
};

struct ReportInput {
  const RunFacts& facts;
  const Snapshot& snapshot;
  const End& end;
  const contract::RunResult& result;
  WallTime ended;
};

/// How much goes in: 0 is everything; each level after it has fewer points, the last none.
inline constexpr int kDetailLevels = 4;
Json BuildReport(const ReportInput& input, int level = 0);

/// sha256 of the document without its member "seal", which holds it: a change after writing shows.
std::string SealOf(Json report);

/// The most detailed report that fits the log frames.
struct PackedReport {
  std::string json;
  contract::FramedReport framed;
};
Expected<PackedReport> PackReport(const ReportInput& input);

}  // namespace torchsoak::runner
