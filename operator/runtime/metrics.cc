#include "operator/runtime/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "operator/runtime/metrics_process.h"

namespace torchsoak::runtime {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;
using Buckets = Histogram::BucketBoundaries;

// controller-runtime's and client-go's own boundaries: their dashboards fit.
const Buckets kReconcileBuckets = {0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3,  0.35,
                                   0.4,   0.45, 0.5,   0.6,  0.7, 0.8,  0.9, 1.0,  1.25, 1.5,
                                   1.75,  2.0,  2.5,   3.0,  3.5, 4.0,  4.5, 5,    6,    7,
                                   8,     9,    10,    15,   20,  25,   30,  40,   50,   60};
const Buckets kQueueBuckets = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000};
const Buckets kClientBuckets = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 45, 60};

constexpr std::array kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE"};

double ToSeconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

/// In the order of ReconcileOutcome.
constexpr std::array kOutcomes = {"success", "error", "requeue", "requeue_after"};

template <typename Builder>
auto& AddFamily(Builder builder, prometheus::Registry& registry, const char* name,
                const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

/// One queue's series, held: no look-up per key.
class QueueSeries final : public WorkQueueObserver {
 public:
  QueueSeries(Gauge& depth, Counter& adds, Counter& retries, Histogram& waited, Histogram& worked)
      : depth_(depth), adds_(adds), retries_(retries), waited_(waited), worked_(worked) {}

  void OnDepth(std::size_t depth) override { depth_.Set(static_cast<double>(depth)); }
  void OnAdd() override { adds_.Increment(); }
  void OnRetry() override { retries_.Increment(); }
  void OnWaited(std::chrono::nanoseconds d) override { waited_.Observe(ToSeconds(d)); }
  void OnWorked(std::chrono::nanoseconds d) override { worked_.Observe(ToSeconds(d)); }

 private:
  Gauge& depth_;
  Counter& adds_;
  Counter& retries_;
  Histogram& waited_;
  Histogram& worked_;
};

}  // namespace

struct Metrics::Families {
  explicit Families(const MetricsLabels& known) : labels(known) {}

  const MetricsLabels labels;
  prometheus::Registry registry;
  std::vector<std::function<void()>> collectors;  // fixed before serving starts
  mutable std::mutex render_mutex;  ///< collectors and counters that follow a total run one by one

#define TORCHSOAK_FAMILY(kind, member, name, help) \
  Family<kind>& member = AddFamily(prometheus::Build##kind(), registry, name, help)

  TORCHSOAK_FAMILY(Counter, reconciles, "controller_runtime_reconcile_total",
                   "Reconciles per controller and result");
  TORCHSOAK_FAMILY(Counter, errors, "controller_runtime_reconcile_errors_total",
                   "Reconciles that failed");
  TORCHSOAK_FAMILY(Counter, terminal_errors, "controller_runtime_terminal_reconcile_errors_total",
                   "Reconciles that failed and are not tried again");
  TORCHSOAK_FAMILY(Counter, panics, "controller_runtime_reconcile_panics_total",
                   "Exceptions out of a reconcile");
  TORCHSOAK_FAMILY(Counter, timeouts, "controller_runtime_reconcile_timeouts_total",
                   "Reconciles that were asked to stop at their deadline");
  TORCHSOAK_FAMILY(Histogram, reconcile_time, "controller_runtime_reconcile_time_seconds",
                   "Length of a reconcile");
  TORCHSOAK_FAMILY(Gauge, max_concurrent, "controller_runtime_max_concurrent_reconciles",
                   "Workers of a controller");
  TORCHSOAK_FAMILY(Gauge, active_workers, "controller_runtime_active_workers",
                   "Workers that are at work");

  TORCHSOAK_FAMILY(Gauge, depth, "workqueue_depth", "Keys that wait for a worker");
  TORCHSOAK_FAMILY(Counter, adds, "workqueue_adds_total", "Keys added");
  TORCHSOAK_FAMILY(Histogram, waited, "workqueue_queue_duration_seconds",
                   "How long a key waits for a worker");
  TORCHSOAK_FAMILY(Histogram, worked, "workqueue_work_duration_seconds",
                   "How long a key is worked on");
  TORCHSOAK_FAMILY(Gauge, unfinished, "workqueue_unfinished_work_seconds",
                   "Age of all work under way, summed");
  TORCHSOAK_FAMILY(Gauge, longest, "workqueue_longest_running_processor_seconds",
                   "Age of the oldest work under way");
  TORCHSOAK_FAMILY(Counter, retries, "workqueue_retries_total", "Keys added with back-off");

  TORCHSOAK_FAMILY(Counter, requests, "rest_client_requests_total",
                   "Requests to the API server by status code, method and host");
  TORCHSOAK_FAMILY(Histogram, request_time, "rest_client_request_duration_seconds",
                   "Length of a request to the API server");
  TORCHSOAK_FAMILY(Gauge, leading, "leader_election_master_status", "1 while we lead");
  TORCHSOAK_FAMILY(Counter, slow_path, "leader_election_slowpath_total",
                   "Renewals that needed a fresh look at the lease");

  TORCHSOAK_FAMILY(Gauge, runs, "torchsoak_runs", "StressTests by phase");
  TORCHSOAK_FAMILY(Counter, verdicts, "torchsoak_run_verdicts_total", "Verdicts given");
  TORCHSOAK_FAMILY(Counter, watch_restarts, "torchsoak_watch_restarts_total",
                   "Times that listing or watching began again, by cause");
  TORCHSOAK_FAMILY(Gauge, event_age, "torchsoak_watch_last_event_age_seconds",
                   "Age of the last sign of life of a watch");
  TORCHSOAK_FAMILY(Gauge, cache_objects, "torchsoak_cache_objects", "Objects in the cache");
  TORCHSOAK_FAMILY(Counter, events_dropped, "torchsoak_events_dropped_total",
                   "Kubernetes events that never reached the server");

  TORCHSOAK_FAMILY(Gauge, resident, "process_resident_memory_bytes", "Resident memory");
  TORCHSOAK_FAMILY(Gauge, virtual_memory, "process_virtual_memory_bytes", "Virtual memory");
  TORCHSOAK_FAMILY(Gauge, threads, "process_threads", "Threads");
  TORCHSOAK_FAMILY(Gauge, open_files, "process_open_fds", "Open file descriptors");
  TORCHSOAK_FAMILY(Gauge, max_files, "process_max_fds", "Limit of open file descriptors");
  TORCHSOAK_FAMILY(Counter, cpu, "process_cpu_seconds_total", "CPU time spent");
#undef TORCHSOAK_FAMILY

  std::map<std::string, std::unique_ptr<QueueSeries>> queues;

  void InitController(const std::string& name);
  void ReadProcess();
};

void Metrics::Families::InitController(const std::string& name) {
  const Labels controller = {{"controller", name}};
  for (const char* outcome : kOutcomes) {
    reconciles.Add({{"controller", name}, {"result", outcome}});
  }
  for (auto* family : {&errors, &terminal_errors, &panics, &timeouts}) family->Add(controller);
  reconcile_time.Add(controller, kReconcileBuckets);
  max_concurrent.Add(controller);
  active_workers.Add(controller);

  const Labels queue = {{"name", name}, {"controller", name}};
  unfinished.Add(queue);
  longest.Add(queue);
  queues[name] = std::make_unique<QueueSeries>(
      depth.Add({{"name", name}, {"controller", name}, {"priority", ""}}), adds.Add(queue),
      retries.Add(queue), waited.Add(queue, kQueueBuckets), worked.Add(queue, kQueueBuckets));
}

void Metrics::Families::ReadProcess() {
  const ProcessFigures figures = ReadProcessFigures();
  resident.Add({}).Set(figures.resident_bytes);
  virtual_memory.Add({}).Set(figures.virtual_bytes);
  threads.Add({}).Set(figures.threads);
  open_files.Add({}).Set(figures.open_files);
  max_files.Add({}).Set(figures.max_files);
  Counter& spent = cpu.Add({});
  spent.Increment(std::max(0.0, figures.cpu_seconds - spent.Value()));
}

Metrics::Metrics(const MetricsLabels& labels) : families_(std::make_unique<Families>(labels)) {
  Families& all = *families_;
  for (const auto& name : labels.controllers) all.InitController(name);
  for (const auto& resource : labels.resources) {
    all.event_age.Add({{"resource", resource}});
    all.cache_objects.Add({{"resource", resource}});
    for (const auto& cause : labels.restart_causes) {
      all.watch_restarts.Add({{"resource", resource}, {"cause", cause}});
    }
  }
  for (const auto& phase : labels.phases) all.runs.Add({{"phase", phase}});
  for (const auto& verdict : labels.verdicts) all.verdicts.Add({{"verdict", verdict}});
  if (!labels.lease.empty()) {
    all.leading.Add({{"name", labels.lease}});
    all.slow_path.Add({{"name", labels.lease}});
  }
  for (const char* method : kMethods) {
    all.request_time.Add({{"verb", method}, {"host", labels.api_host}}, kClientBuckets);
  }
  all.events_dropped.Add({});
  all.ReadProcess();
}

Metrics::~Metrics() = default;

std::string Metrics::Render() const {
  const std::lock_guard lock(families_->render_mutex);
  for (const auto& collect : families_->collectors) collect();
  families_->ReadProcess();
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

std::string_view Metrics::ContentType() { return "text/plain; version=0.0.4; charset=utf-8"; }

void Metrics::OnRender(std::function<void()> collector) {
  families_->collectors.push_back(std::move(collector));
}

void Metrics::Reconciled(const std::string& controller, ReconcileOutcome outcome,
                         std::chrono::nanoseconds took) {
  const Labels labels = {{"controller", controller}};
  const char* result = kOutcomes.at(static_cast<std::size_t>(outcome));
  families_->reconciles.Add({{"controller", controller}, {"result", result}}).Increment();
  if (outcome == ReconcileOutcome::kError) families_->errors.Add(labels).Increment();
  families_->reconcile_time.Add(labels, kReconcileBuckets).Observe(ToSeconds(took));
}

void Metrics::ReconcilePanicked(const std::string& controller) {
  families_->panics.Add({{"controller", controller}}).Increment();
}

void Metrics::ReconcileTimedOut(const std::string& controller) {
  families_->timeouts.Add({{"controller", controller}}).Increment();
}

void Metrics::TerminalError(const std::string& controller) {
  families_->terminal_errors.Add({{"controller", controller}}).Increment();
}

void Metrics::SetMaxConcurrent(const std::string& controller, int workers) {
  families_->max_concurrent.Add({{"controller", controller}}).Set(workers);
}

void Metrics::AddActiveWorkers(const std::string& controller, int difference) {
  families_->active_workers.Add({{"controller", controller}}).Increment(difference);
}

WorkQueueObserver& Metrics::Queue(const std::string& controller) {
  return *families_->queues.at(controller);
}

void Metrics::SetQueueInWork(const std::string& controller, const WorkQueue::InWork& in_work) {
  const Labels labels = {{"name", controller}, {"controller", controller}};
  families_->unfinished.Add(labels).Set(ToSeconds(in_work.sum));
  families_->longest.Add(labels).Set(ToSeconds(in_work.longest));
}

void Metrics::ClientRequest(std::string_view method, int status, std::chrono::nanoseconds took) {
  // Foreign numbers and words must not become new series without end.
  const bool known = std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
  const std::string verb = known ? std::string(method) : "OTHER";
  const std::string code = status >= 100 && status < 600 ? std::to_string(status) : "<error>";
  const std::string& host = families_->labels.api_host;
  families_->requests.Add({{"code", code}, {"method", verb}, {"host", host}}).Increment();
  families_->request_time.Add({{"verb", verb}, {"host", host}}, kClientBuckets)
      .Observe(ToSeconds(took));
}

void Metrics::SetLeading(bool leading) {
  families_->leading.Add({{"name", families_->labels.lease}}).Set(leading ? 1 : 0);
}

void Metrics::ElectionSlowPath() {
  families_->slow_path.Add({{"name", families_->labels.lease}}).Increment();
}

void Metrics::SetRuns(const std::string& phase, std::size_t count) {
  families_->runs.Add({{"phase", phase}}).Set(static_cast<double>(count));
}

void Metrics::RunVerdict(const std::string& verdict) {
  families_->verdicts.Add({{"verdict", verdict}}).Increment();
}

void Metrics::WatchRestarted(const std::string& resource, const std::string& cause) {
  families_->watch_restarts.Add({{"resource", resource}, {"cause", cause}}).Increment();
}

void Metrics::SetLastEventAge(const std::string& resource, std::chrono::nanoseconds age) {
  families_->event_age.Add({{"resource", resource}}).Set(ToSeconds(age));
}

void Metrics::SetCacheObjects(const std::string& resource, std::size_t count) {
  families_->cache_objects.Add({{"resource", resource}}).Set(static_cast<double>(count));
}

void Metrics::SetEventsDropped(std::uint64_t total) {
  Counter& dropped = families_->events_dropped.Add({});
  dropped.Increment(std::max(0.0, static_cast<double>(total) - dropped.Value()));
}

}  // namespace torchsoak::runtime
