#pragma once
// What a decision asks for. The reconciler carries it out and knows nothing of the reasons.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/contract/result.h"
#include "operator/stresstest/status.h"

namespace torchsoak::stresstest {

/// Something to find out before a decision can be made; the decision is then asked again.
enum class Need {
  kNothing,
  kLiveLook,  ///< read Job and pods from the API server: absence must not be a cache miss
  kReport,    ///< fetch the report from the log and store it
};

struct DeleteJob {
  std::string name;
  std::string uid;
};

struct EventNote {
  bool warning = false;
  std::string reason;
  std::string action;
  std::string note;
};

/// A report to fetch from a pod's log, or the log to follow for it (then without ref and node).
struct ReportJob {
  std::string pod;
  std::string pod_uid;
  contract::ReportRef ref;
  std::int64_t attempt = 1;  ///< each attempt has a ConfigMap of its own
  Json node;                 ///< this run's row of nodes.json
};

/// Order of execution: follow_log, create_job, status, delete_jobs, delete_test, events.
/// An intent is in the status before the deletion that follows from it; a creation is idempotent
/// and comes before the status that speaks of it.
struct Plan {
  Need need = Need::kNothing;
  std::optional<ReportJob> report;      ///< with kReport
  std::optional<ReportJob> follow_log;  ///< start following before the pod is stopped
  std::optional<Json> create_job;       ///< the manifest
  std::vector<DeleteJob> delete_jobs;
  bool delete_test = false;  ///< its TTL has passed
  TestStatus status;
  std::vector<EventNote> events;
  std::optional<std::chrono::milliseconds> look_again;

  /// Asks for another look at `when`, or earlier if one is due; WallTime::max() asks for none.
  void LookAt(WallTime when, WallTime now);
};

}  // namespace torchsoak::stresstest
