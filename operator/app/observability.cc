#include "operator/app/observability.h"

#include <map>
#include <string_view>

#include "common/base/log.h"
#include "operator/k8s/watch/reflector_step.h"

namespace torchsoak::app {
namespace {

constexpr std::chrono::minutes kProgressLimit{5};  ///< a watch or election without a sign of life
const std::vector<std::string> kPhases = {"Pending",  "Suspended", "Queued",
                                          "Starting", "Running",   "Finished"};

http::ProbeReply ReplyOf(const runtime::Health::Reply& reply) {
  return {reply.ok ? 200 : 503, "text/plain; charset=utf-8", reply.text};
}

bool Verbose(std::string_view query) { return query.find("verbose") != std::string_view::npos; }

}  // namespace

runtime::MetricsLabels LabelsOf(const std::string& controller, const std::string& lease,
                                const std::string& api_host) {
  runtime::MetricsLabels labels;
  labels.controllers = {controller};
  labels.resources = {"stresstests", "jobs", "pods"};
  labels.restart_causes = k8s::RestartCauses();
  labels.phases = kPhases;
  labels.verdicts = {"Passed", "Failed", "Inconclusive", "Error", "Aborted"};
  labels.lease = lease;
  labels.api_host = api_host;
  return labels;
}

Observability::Observability(const runtime::MetricsLabels& labels, Clock& clock)
    : clock_(clock), metrics_(labels) {}

void Observability::AddInformer(const std::string& plural, const k8s::Informer& informer) {
  health_.AddLive("watch-" + plural, [this, &informer]() -> Status {
    if (clock_.Boot() - informer.LastProgress() < kProgressLimit) return {};
    return Fail(ErrorCode::kTimeout, "no sign of life from the watch for 5 minutes");
  });
  health_.AddReady("cache-" + plural, [&informer]() -> Status {
    if (informer.Synced()) return {};
    return Fail(ErrorCode::kUnavailable, "the first list has not come yet");
  });
  metrics_.OnRender([this, plural, &informer] {
    metrics_.SetLastEventAge(plural, clock_.Boot() - informer.LastProgress());
    metrics_.SetCacheObjects(plural, informer.All().size());
  });
}

void Observability::AddElection(const k8s::Elector& elector) {
  health_.AddLive("election", [this, &elector]() -> Status {
    if (clock_.Boot() - elector.LastAttempt() < kProgressLimit) return {};
    return Fail(ErrorCode::kTimeout, "no attempt at the Lease for 5 minutes");
  });
}

void Observability::CountPhases(const k8s::Informer& tests) {
  metrics_.OnRender([this, &tests] {
    std::map<std::string, std::size_t> counts;
    for (const std::string& phase : kPhases) counts[phase] = 0;
    for (const k8s::ObjectPtr& test : tests.All()) {
      ++counts[GetString(*test, {"status", "phase"}, "Pending")];
    }
    for (const std::string& phase : kPhases) metrics_.SetRuns(phase, counts[phase]);
  });
}

k8s::ElectorHooks Observability::HooksOfElection() {
  k8s::ElectorHooks hooks;
  hooks.on_leading = [this] {
    metrics_.SetLeading(true);
    Log(LogLevel::kInfo, "leading: this instance does the work");
  };
  hooks.on_new_leader = [](const std::string& identity) {
    Log(LogLevel::kInfo, "the Lease names a holder", {{"holder", identity}});
  };
  hooks.on_slow_path = [this] { metrics_.ElectionSlowPath(); };
  hooks.on_failure = [](const Error& error) {
    Log(LogLevel::kWarning, "the Lease could not be read or written", {{"error", error.message}});
  };
  return hooks;
}

Status Observability::Serve(const std::string& probe_address, const std::string& metrics_address) {
  auto probes = http::ProbeServer::Start(
      probe_address,
      {{"/healthz",
        [this](std::string_view query) { return ReplyOf(health_.Live(Verbose(query))); }},
       {"/readyz",
        [this](std::string_view query) { return ReplyOf(health_.Ready(Verbose(query))); }}});
  if (!probes) return Wrap("--health-probe-bind-address", probes.error());
  probes_ = std::move(*probes);
  auto metrics = http::ProbeServer::Start(
      metrics_address, {{"/metrics", [this](std::string_view) {
                           return http::ProbeReply{200,
                                                   std::string(runtime::Metrics::ContentType()),
                                                   metrics_.Render()};
                         }}});
  if (!metrics) return Wrap("--metrics-bind-address", metrics.error());
  metrics_server_ = std::move(*metrics);
  return {};
}

}  // namespace torchsoak::app
