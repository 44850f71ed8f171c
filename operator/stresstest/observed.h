#pragma once
// What one decision sees: plain values read from the cache, a live look or a failed write.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/contract/result.h"
#include "operator/k8s/resource.h"
#include "operator/stresstest/status.h"

namespace torchsoak::stresstest {

struct TestView {
  k8s::ObjectKey key;
  k8s::Uid uid;
  k8s::ResourceVersion version;
  std::int64_t generation = 0;
  bool deleting = false;
  bool orphaning = false;  ///< is deleted with --cascade=orphan: its children are to stay
  WallTime created{};
  std::string source_revision;
  Json spec;
  TestStatus status;
};

struct JobView {
  std::string name;
  k8s::Uid uid;
  bool suspended = false;  ///< by a queue; we never suspend a Job
  bool orphan = false;     ///< somebody removed its owner: it will outlive the test
  bool deleting = false;
  bool failed = false;    ///< condition Failed is True
  bool complete = false;  ///< condition Complete is True
  std::string message;    ///< of that condition
  WallTime created{};
};

/// A state of the runner container; which members count depends on `kind`.
struct ContainerView {
  enum class Kind { kNone, kWaiting, kRunning, kTerminated };
  Kind kind = Kind::kNone;
  std::string reason;   ///< "ErrImagePull", "OOMKilled", …
  std::string message;  ///< when terminated: the termination message
  std::int64_t exit_code = 0;
  std::optional<WallTime> started;
  std::optional<WallTime> finished;
};

/// How far a run says it is.
struct LogProgress {
  std::string text;  ///< "36%" or "step 1200"
  std::optional<std::int64_t> percent;
};

struct PodView {
  std::string name;
  k8s::Uid uid;
  k8s::Uid job_uid;  ///< of its controller
  std::string node;
  std::string phase;
  std::string reason;  ///< of the pod: "Evicted", "UnexpectedAdmissionError", …
  std::string message;
  std::optional<WallTime> deleting;  ///< its deletionTimestamp: end of the grace period
  bool gone = false;                 ///< no longer in the cluster; this is its last known state
  std::string scheduled;             ///< status of PodScheduled, "" when absent
  std::string scheduled_reason;
  std::string scheduled_message;
  std::optional<WallTime> scheduled_at;
  std::string disruption;  ///< reason of a true DisruptionTarget, "" when there is none
  std::string disruption_message;
  ContainerView runner;
  std::string image;
  std::string image_id;
  std::optional<LogProgress> progress;  ///< from its log, for display

  /// Nothing of it runs any more and nothing will.
  bool Over() const;
};

/// The report of the current attempt, once somebody went for it.
struct ReportView {
  bool stored = false;
  std::string config_map;
  std::string sha256;
  std::string problem;  ///< why not, when it is not stored
};

/// Why the current Job could not be created, when the API server said so.
struct CreateProblem {
  enum class Kind {
    kNameTaken,  ///< a Job of that name belongs to somebody else
    kRefused,    ///< the manifest is not valid
    kWaiting,    ///< no right, no answer, an admission hook that is down: it may pass
  };
  Kind kind;
  std::string message;
};

struct Observed {
  WallTime now{};
  TestView test;
  std::vector<JobView> jobs;  ///< ours, any attempt
  std::vector<PodView> pods;  ///< ours, any attempt; those gone recently too
  bool live = false;          ///< jobs and pods come from the API server, not from the cache
  std::optional<ReportView> report;
  std::optional<CreateProblem> create_problem;
};

TestView ReadTest(const Json& object);
JobView ReadJob(const Json& object);
PodView ReadPod(const Json& object, bool gone);

/// True for a Job that the test controls, or controlled until somebody removed its owner.
bool IsJobOf(const Json& job, const TestView& test);

/// True when the owner is a StressTest of this name and another UID: since this one is there, that
/// one is gone, and the garbage collector will take what it owned.
bool IsOfDeletedNamesake(const Json& object, const TestView& test);

/// What the store keeps of a Job or Pod: the fields that the readers above use.
Json TrimTest(Json&& object);
Json TrimJob(Json&& object);
Json TrimPod(Json&& object);

}  // namespace torchsoak::stresstest
