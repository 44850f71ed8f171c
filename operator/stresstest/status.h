#pragma once
// .status of a StressTest: the typed form of what the operator writes.
//
// Values; no I/O, no clock. FromJson reads what any earlier version wrote and ignores what it does
// not know; ToJson writes within the bounds of the CRD (texts are cut, never refused).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"

namespace torchsoak::stresstest {

struct Condition {
  std::string type;
  std::string status;  ///< "True", "False" or "Unknown"
  std::string reason;
  std::string message;
  WallTime since{};  ///< lastTransitionTime
  std::int64_t generation = 0;
};

/// One pod's worth of work. At most one per attempt.
struct RunStatus {
  std::string name;  ///< of the Job
  std::int64_t attempt = 1;
  std::string job_uid;
  std::string pod;
  std::string pod_uid;
  std::string node;
  std::vector<std::string> gpus;
  std::optional<std::int64_t> exit_code;
  std::string verdict;
  std::string reason;
  std::string stopping;  ///< why the operator is ending it: recorded before it acts
  std::optional<WallTime> pull_failing_since;  ///< when its image first could not be pulled
};

struct TestStatus {
  std::int64_t observed_generation = 0;
  std::string phase;
  std::string verdict;  ///< "" until Finished
  std::string reason;
  std::string message;
  std::string headline;
  std::optional<WallTime> start;
  std::optional<WallTime> completion;
  std::int64_t attempt = 0;           ///< 0: none yet
  std::vector<Condition> conditions;  ///< ours; those of others are not read
  std::string progress;
  std::optional<std::int64_t> percent;
  std::vector<RunStatus> runs;
  // Written once from the result and then only carried along.
  Json metrics = Json::array();
  Json thresholds = Json::array();
  Json leaks = Json::array();
  Json results = Json::object();
  Json environment = Json::object();

  bool finished() const { return phase == "Finished"; }

  /// The line of the attempt that `attempt` counts; nullptr before its Job was created.
  const RunStatus* CurrentRun() const;

  const Condition* Find(std::string_view type) const;

  /// True when that condition is there with status "True".
  bool Holds(std::string_view type) const;

  /// Adds a condition, or updates the one of its type: `since` is taken only when the status flips.
  void Set(Condition wanted);
};

TestStatus StatusFromJson(const Json& status);

/// Control characters become question marks.
Json StatusToJson(const TestStatus& status);

/// Cuts to at most `bytes`, at a UTF-8 boundary, ending in "…" when cut.
std::string Cut(std::string_view text, std::size_t bytes);

}  // namespace torchsoak::stresstest
