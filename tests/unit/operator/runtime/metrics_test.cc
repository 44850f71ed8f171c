#include "operator/runtime/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace torchsoak::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

MetricsLabels Labels() {
  return {.controllers = {"stresstest"},
          .resources = {"pods", "jobs"},
          .restart_causes = {"idle", "expired"},
          .phases = {"Running"},
          .verdicts = {"Passed", "Failed"},
          .lease = "torchsoak",
          .api_host = "10.0.0.1:443"};
}

TEST(Metrics, EveryKnownSeriesStartsAtZero) {
  const std::string page = Metrics(Labels()).Render();
  for (
      const char* line : {
          R"(controller_runtime_reconcile_total{controller="stresstest",result="success"} 0)",
          R"(controller_runtime_reconcile_total{controller="stresstest",result="error"} 0)",
          R"(controller_runtime_reconcile_total{controller="stresstest",result="requeue"} 0)",
          R"(controller_runtime_reconcile_total{controller="stresstest",result="requeue_after"} 0)",
          R"(controller_runtime_reconcile_errors_total{controller="stresstest"} 0)",
          R"(controller_runtime_terminal_reconcile_errors_total{controller="stresstest"} 0)",
          R"(controller_runtime_reconcile_panics_total{controller="stresstest"} 0)",
          R"(controller_runtime_reconcile_timeouts_total{controller="stresstest"} 0)",
          R"(controller_runtime_reconcile_time_seconds_count{controller="stresstest"} 0)",
          R"(controller_runtime_max_concurrent_reconciles{controller="stresstest"} 0)",
          R"(controller_runtime_active_workers{controller="stresstest"} 0)",
          R"(workqueue_depth{controller="stresstest",name="stresstest",priority=""} 0)",
          R"(workqueue_adds_total{controller="stresstest",name="stresstest"} 0)",
          R"(workqueue_queue_duration_seconds_count{controller="stresstest",name="stresstest"} 0)",
          R"(workqueue_work_duration_seconds_count{controller="stresstest",name="stresstest"} 0)",
          R"(workqueue_unfinished_work_seconds{controller="stresstest",name="stresstest"} 0)",
          R"(workqueue_longest_running_processor_seconds{controller="stresstest",name="stresstest"} 0)",
          R"(workqueue_retries_total{controller="stresstest",name="stresstest"} 0)",
          R"(rest_client_request_duration_seconds_count{host="10.0.0.1:443",verb="PATCH"} 0)",
          R"(leader_election_master_status{name="torchsoak"} 0)",
          R"(leader_election_slowpath_total{name="torchsoak"} 0)",
          R"(torchsoak_runs{phase="Running"} 0)",
          R"(torchsoak_run_verdicts_total{verdict="Passed"} 0)",
          R"(torchsoak_watch_restarts_total{cause="idle",resource="pods"} 0)",
          R"(torchsoak_watch_restarts_total{cause="expired",resource="jobs"} 0)",
          R"(torchsoak_watch_last_event_age_seconds{resource="jobs"} 0)",
          R"(torchsoak_cache_objects{resource="pods"} 0)",
          R"(torchsoak_events_dropped_total 0)",
      }) {
    EXPECT_THAT(page, HasSubstr(std::string(line) + "\n"));
  }
}

TEST(Metrics, CountsWhatItIsTold) {
  Metrics metrics(Labels());
  metrics.ClientRequest("GET", 200, 20ms);
  metrics.ClientRequest("GET", 0, 20ms);
  metrics.ClientRequest("BREW", 99999, 20ms);
  metrics.SetLeading(true);
  metrics.ElectionSlowPath();
  metrics.SetRuns("Running", 7);
  metrics.RunVerdict("Failed");
  metrics.WatchRestarted("pods", "idle");
  metrics.SetLastEventAge("pods", 1500ms);
  metrics.SetCacheObjects("jobs", 12);
  metrics.SetEventsDropped(5);
  metrics.SetEventsDropped(8);
  metrics.TerminalError("stresstest");
  metrics.SetQueueInWork("stresstest", {.sum = 3s, .longest = 2s});
  const std::string page = metrics.Render();
  for (
      const char* line : {
          R"(rest_client_requests_total{code="200",host="10.0.0.1:443",method="GET"} 1)",
          R"(rest_client_requests_total{code="<error>",host="10.0.0.1:443",method="GET"} 1)",
          R"(rest_client_requests_total{code="<error>",host="10.0.0.1:443",method="OTHER"} 1)",
          R"(rest_client_request_duration_seconds_count{host="10.0.0.1:443",verb="GET"} 2)",
          R"(rest_client_request_duration_seconds_bucket{host="10.0.0.1:443",verb="GET",le="0.025"} 2)",
          R"(leader_election_master_status{name="torchsoak"} 1)",
          R"(leader_election_slowpath_total{name="torchsoak"} 1)",
          R"(torchsoak_runs{phase="Running"} 7)",
          R"(torchsoak_run_verdicts_total{verdict="Failed"} 1)",
          R"(torchsoak_watch_restarts_total{cause="idle",resource="pods"} 1)",
          R"(torchsoak_watch_last_event_age_seconds{resource="pods"} 1.5)",
          R"(torchsoak_cache_objects{resource="jobs"} 12)",
          R"(torchsoak_events_dropped_total 8)",
          R"(controller_runtime_terminal_reconcile_errors_total{controller="stresstest"} 1)",
          R"(workqueue_unfinished_work_seconds{controller="stresstest",name="stresstest"} 3)",
          R"(workqueue_longest_running_processor_seconds{controller="stresstest",name="stresstest"} 2)",
      }) {
    EXPECT_THAT(page, HasSubstr(std::string(line) + "\n"));
  }
}

TEST(Metrics, CollectorsRunBeforeEachRendering) {
  Metrics metrics(Labels());
  int asked = 0;
  metrics.OnRender([&] { metrics.SetRuns("Running", ++asked); });
  EXPECT_THAT(metrics.Render(), HasSubstr("torchsoak_runs{phase=\"Running\"} 1\n"));
  EXPECT_THAT(metrics.Render(), HasSubstr("torchsoak_runs{phase=\"Running\"} 2\n"));
}

TEST(Metrics, KnowsTheProcess) {
  const std::string page = Metrics(Labels()).Render();
  for (const char* name : {"process_resident_memory_bytes", "process_threads", "process_open_fds",
                           "process_max_fds", "process_virtual_memory_bytes"}) {
    EXPECT_THAT(page, HasSubstr("\n" + std::string(name) + " "));
    EXPECT_THAT(page, Not(HasSubstr("\n" + std::string(name) + " 0\n")));
  }
  EXPECT_THAT(page, HasSubstr("\n# TYPE process_cpu_seconds_total counter\n"));
}

TEST(Metrics, WithoutElectionThereIsNoSuchSeries) {
  MetricsLabels labels = Labels();
  labels.lease.clear();
  EXPECT_THAT(Metrics(labels).Render(), Not(HasSubstr("leader_election_master_status{")));
}

TEST(Metrics, ManyThreadsMayCountAndRender) {
  Metrics metrics(Labels());
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        metrics.Reconciled("stresstest", ReconcileOutcome::kSuccess, 1ms);
        metrics.ClientRequest("GET", 200 + i % 5, 1ms);
        metrics.Queue("stresstest").OnAdd();
        if (i % 50 == 0) (void)metrics.Render();
      }
    });
  }
  threads.clear();
  EXPECT_THAT(
      metrics.Render(),
      HasSubstr(
          R"(controller_runtime_reconcile_total{controller="stresstest",result="success"} 800)"));
}

}  // namespace
}  // namespace torchsoak::runtime
