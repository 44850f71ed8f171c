#pragma once
// What the operator shows of itself: metrics, health checks, and the two servers that answer.

#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/http/probe_server.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/election/elector.h"
#include "operator/runtime/health.h"
#include "operator/runtime/metrics.h"

namespace torchsoak::app {

/// What is given to it must outlive it. Add everything before Serve.
class Observability {
 public:
  Observability(const runtime::MetricsLabels& labels, Clock& clock);

  runtime::Metrics& metrics() { return metrics_; }

  /// Live: some sign of life within 5 minutes. Ready: the first list has come.
  void AddInformer(const std::string& plural, const k8s::Informer& informer);

  /// Live: an attempt at the Lease within 5 minutes.
  void AddElection(const k8s::Elector& elector);

  /// What the election logs and counts.
  k8s::ElectorHooks HooksOfElection();

  /// torchsoak_runs{phase}, counted from the cache at each rendering.
  void CountPhases(const k8s::Informer& tests);

  /// Starts both servers; an Error names the flag.
  Status Serve(const std::string& probe_address, const std::string& metrics_address);

 private:
  Clock& clock_;
  runtime::Metrics metrics_;
  runtime::Health health_;
  std::unique_ptr<http::ProbeServer> probes_;
  std::unique_ptr<http::ProbeServer> metrics_server_;
};

/// The closed sets of label values that this operator's metrics have.
runtime::MetricsLabels LabelsOf(const std::string& controller, const std::string& lease,
                                const std::string& api_host);

}  // namespace torchsoak::app
