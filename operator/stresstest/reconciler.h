#pragma once
// Observe, decide, act: the thin shell around Decide. It holds no opinion about a test.

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "common/base/clock.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/cache/own_writes.h"
#include "operator/k8s/client.h"
#include "operator/k8s/events/event_series.h"
#include "operator/runtime/log_follower.h"
#include "operator/runtime/reconciler.h"
#include "operator/stresstest/decide.h"
#include "operator/stresstest/progress_watch.h"
#include "operator/stresstest/report_store.h"

namespace torchsoak::stresstest {

/// What the reconciler works with; everything outlives it. The informers of Jobs and pods index by
/// the label torchsoak.dev/stresstest-uid.
struct ReconcilerParts {
  k8s::Client& client;
  k8s::Informer& tests;
  k8s::Informer& jobs;
  k8s::Informer& pods;
  k8s::OwnWrites& writes;
  runtime::LogFollower& logs;
  const ProgressWatch& progress;
  Clock& clock;
  std::function<bool()> may_write;                     ///< the fence: asked before every write
  std::function<void(k8s::Event)> record;              ///< never blocks
  std::function<void(const std::string&)> on_verdict;  ///< once per finished test
};

/// Thread-safe: holds no state of its own between calls.
class StressTestReconciler final : public runtime::Reconciler {
 public:
  StressTestReconciler(ReconcilerParts parts, Settings settings);

  Expected<runtime::ReconcileResult> Reconcile(const k8s::ObjectKey& key,
                                               std::stop_token stop) override;

 private:
  bool Behind(const TestView& test);
  Observed Observe(const Json& object) const;
  Status Satisfy(const Plan& plan, Observed& observed, std::stop_token stop);
  Expected<std::optional<CreateProblem>> CreateJob(const TestView& test, const Json& manifest,
                                                   std::stop_token stop);
  Status WriteStatus(const TestView& test, const TestStatus& status, std::stop_token stop);
  Status Act(const Observed& observed, const Plan& plan, std::stop_token stop);
  void Announce(const TestView& test, const Plan& plan);

  ReconcilerParts parts_;
  Settings settings_;
  ReportStore reports_;
};

}  // namespace torchsoak::stresstest
