#include "operator/stresstest/reconciler.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "operator/k8s/meta.h"
#include "operator/stresstest/live_look.h"
#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {
namespace {

using runtime::ReconcileResult;
using std::chrono::milliseconds;

/// A plan asks at most for a live look, a report and the outcome of a creation.
constexpr int kMostRounds = 6;
constexpr milliseconds kSoon{200};
constexpr milliseconds kGateWait{1000};

tl::unexpected<Error> Forward(const Error& error) { return tl::unexpected<Error>(error); }

}  // namespace

StressTestReconciler::StressTestReconciler(ReconcilerParts parts, Settings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      reports_(parts_.client, parts_.logs, parts_.clock) {}

Expected<ReconcileResult> StressTestReconciler::Reconcile(const k8s::ObjectKey& key,
                                                          std::stop_token stop) {
  const k8s::ObjectPtr object = parts_.tests.Get(key);
  if (object == nullptr) return ReconcileResult{};
  Observed observed = Observe(*object);
  if (Behind(observed.test)) return ReconcileResult{kGateWait};

  Plan plan = Decide(observed, settings_);
  for (int round = 0; round < kMostRounds; ++round) {
    if (plan.need != Need::kNothing) {
      const Status satisfied = Satisfy(plan, observed, stop);
      if (!satisfied && satisfied.error().code == ErrorCode::kThrottled) {
        return ReconcileResult{kGateWait};  // a log is still being followed
      }
      if (!satisfied) return Forward(satisfied.error());
    } else if (plan.create_job && !observed.create_problem) {
      const auto problem = CreateJob(observed.test, *plan.create_job, stop);
      if (!problem) return Forward(problem.error());
      if (!*problem) break;
      observed.create_problem = **problem;
    } else {
      break;
    }
    plan = Decide(observed, settings_);
  }
  if (plan.need != Need::kNothing) return Fail(ErrorCode::kInternal, "a decision never settles");

  const Status acted = Act(observed, plan, stop);
  if (!acted && acted.error().code == ErrorCode::kConflict) return ReconcileResult{kSoon};
  if (!acted) return Forward(acted.error());
  return ReconcileResult{plan.look_again};
}

/// True while the caches do not show our last writes yet: deciding now could do things twice.
bool StressTestReconciler::Behind(const TestView& test) {
  return parts_.writes.Pending(kStressTests, test.uid, parts_.tests) ||
         parts_.writes.Pending(kJobs, test.uid, parts_.jobs);
}

Observed StressTestReconciler::Observe(const Json& object) const {
  Observed observed;
  observed.now = parts_.clock.Wall();
  observed.test = ReadTest(object);
  const k8s::Uid& uid = observed.test.uid;
  for (const k8s::ObjectPtr& job : parts_.jobs.ByIndex(uid)) {
    if (IsJobOf(*job, observed.test)) observed.jobs.push_back(ReadJob(*job));
  }
  for (const k8s::ObjectPtr& pod : parts_.pods.ByIndex(uid)) {
    observed.pods.push_back(ReadPod(*pod, false));
    observed.pods.back().progress = parts_.progress.Get(observed.pods.back().uid);
  }
  for (const k8s::ObjectPtr& pod : parts_.pods.DeletedByIndex(uid)) {
    observed.pods.push_back(ReadPod(*pod, true));
  }
  return observed;
}

Status StressTestReconciler::Satisfy(const Plan& plan, Observed& observed, std::stop_token stop) {
  if (plan.need == Need::kLiveLook) return LookLive(parts_.client, observed, stop);
  if (!parts_.may_write()) return Fail(ErrorCode::kCancelled, "not the leader any more");
  auto report = reports_.Store(observed.test, *plan.report, stop);
  if (!report) return Forward(report.error());
  observed.report = std::move(*report);
  return {};
}

/// A value without a problem: the Job is there and ours, made now or earlier.
Expected<std::optional<CreateProblem>> StressTestReconciler::CreateJob(const TestView& test,
                                                                       const Json& manifest,
                                                                       std::stop_token stop) {
  using Kind = CreateProblem::Kind;
  if (!parts_.may_write()) return Fail(ErrorCode::kCancelled, "not the leader any more");
  const auto created = parts_.client.Create(kJobs, test.key.ns, manifest, stop);
  if (created) {
    parts_.writes.Remember(kJobs, test.uid, test.key.ns, k8s::VersionOf(*created));
    return std::nullopt;
  }
  const Error& error = created.error();
  if (error.code == ErrorCode::kInvalid) return CreateProblem{Kind::kRefused, error.message};
  if (error.code == ErrorCode::kCancelled) return Forward(error);
  if (error.code != ErrorCode::kExists) return CreateProblem{Kind::kWaiting, error.message};

  const std::string name = GetString(manifest, {"metadata", "name"});
  const auto existing = parts_.client.Get(kJobs, {test.key.ns, name}, stop);
  if (!existing) return Forward(existing.error());
  if (IsJobOf(*existing, test)) {
    parts_.writes.Remember(kJobs, test.uid, test.key.ns, k8s::VersionOf(*existing));
    return std::nullopt;
  }
  // A Job of a namesake that was deleted goes away by itself.
  if (IsOfDeletedNamesake(*existing, test) ||
      Find(*existing, {"metadata", "deletionTimestamp"}) != nullptr) {
    return CreateProblem{Kind::kWaiting, "Job " + name + " of an earlier owner is being deleted"};
  }
  return CreateProblem{Kind::kNameTaken, "Job " + name + " is there already and belongs to " +
                                             "somebody else; delete it or rename the test"};
}

Status StressTestReconciler::WriteStatus(const TestView& test, const TestStatus& status,
                                         std::stop_token stop) {
  const Json wanted = StatusToJson(status);
  if (wanted == StatusToJson(test.status)) return {};
  if (!parts_.may_write()) return Fail(ErrorCode::kCancelled, "not the leader any more");
  const Json patch{{"apiVersion", kStressTests.ApiVersion()},
                   {"kind", kStressTests.kind},
                   {"metadata",
                    {{"name", test.key.name},
                     {"namespace", test.key.ns},
                     {"uid", test.uid},
                     {"resourceVersion", test.version.text()}}},
                   {"status", wanted}};
  const auto written = parts_.client.ApplyStatus(kStressTests, test.key, patch, stop);
  if (!written) return Forward(written.error());
  parts_.writes.Remember(kStressTests, *written);
  return {};
}

Status StressTestReconciler::Act(const Observed& observed, const Plan& plan, std::stop_token stop) {
  const TestView& test = observed.test;
  if (plan.follow_log) {
    parts_.logs.Start({test.key.ns, plan.follow_log->pod}, plan.follow_log->pod_uid, true);
  }
  if (const Status written = WriteStatus(test, plan.status, stop); !written) return written;
  Announce(test, plan);
  for (const DeleteJob& job : plan.delete_jobs) {
    if (!parts_.may_write()) return Fail(ErrorCode::kCancelled, "not the leader any more");
    k8s::DeleteOptions options;
    options.uid = job.uid;
    const Status deleted = parts_.client.Delete(kJobs, {test.key.ns, job.name}, options, stop);
    if (!deleted) return deleted;
  }
  if (plan.delete_test) {
    if (!parts_.may_write()) return Fail(ErrorCode::kCancelled, "not the leader any more");
    k8s::DeleteOptions options;
    options.uid = test.uid;
    options.propagation = "Background";
    const Status deleted = parts_.client.Delete(kStressTests, test.key, options, stop);
    if (!deleted) return deleted;
  }
  return {};
}

void StressTestReconciler::Announce(const TestView& test, const Plan& plan) {
  for (const EventNote& note : plan.events) {
    k8s::Event event;
    event.regarding = {kStressTests.ApiVersion(), kStressTests.kind, test.key, test.uid};
    event.level = note.warning ? k8s::EventLevel::kWarning : k8s::EventLevel::kNormal;
    event.reason = note.reason;
    event.action = note.action;
    event.note = note.note;
    parts_.record(std::move(event));
    Log(note.warning ? LogLevel::kWarning : LogLevel::kInfo, note.note,
        {{"stresstest", test.key.ToString()}, {"reason", note.reason}});
  }
  if (plan.status.finished() && !test.status.finished()) parts_.on_verdict(plan.status.verdict);
}

}  // namespace torchsoak::stresstest
