#pragma once
// Brings a run's report from the pod's log into an owned, immutable ConfigMap.
//
// Idempotent: a ConfigMap of ours that is already there is the report, whoever stored it. Losing a
// report costs detail, never the verdict. Thread-safe; blocks on the API server.

#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/k8s/client.h"
#include "operator/runtime/log_follower.h"
#include "operator/stresstest/observed.h"
#include "operator/stresstest/plan.h"

namespace torchsoak::stresstest {

class ReportStore {
 public:
  /// All must outlive the store.
  ReportStore(k8s::Client& client, runtime::LogFollower& logs, Clock& clock)
      : client_(client), logs_(logs), clock_(clock) {}

  /// Stores the report of that pod. A value says that it is stored or why it is lost for good;
  /// kThrottled means: ask again in a second. Whatever fails is tried for two minutes from its
  /// first failure (damaged frames: ten seconds; a missing right or a pod that is gone: not at
  /// all), then it is lost.
  Expected<ReportView> Store(const TestView& test, const ReportJob& job, std::stop_token stop);

 private:
  Expected<ReportView> Try(const TestView& test, const ReportJob& job, std::stop_token stop);
  BootTime Waited(const k8s::Uid& pod);
  void Forget(const k8s::Uid& pod);
  Expected<std::vector<std::string>> FrameLines(const TestView& test, const ReportJob& job,
                                                std::stop_token stop);
  Expected<ReportView> Create(const TestView& test, const ReportJob& job, const std::string& gzip,
                              std::stop_token stop);

  k8s::Client& client_;
  runtime::LogFollower& logs_;
  Clock& clock_;
  std::mutex mutex_;
  std::map<k8s::Uid, BootTime> failing_since_;  // guarded by mutex_
};

}  // namespace torchsoak::stresstest
