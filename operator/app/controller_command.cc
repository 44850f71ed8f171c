#include "operator/app/controller_command.h"

#include <cstdlib>
#include <memory>
#include <random>

#include "common/base/log.h"
#include "common/base/version.h"
#include "operator/app/kinds.h"
#include "operator/app/observability.h"
#include "operator/app/signals.h"
#include "operator/http/cpprest_transport.h"
#include "operator/k8s/auth/config.h"
#include "operator/k8s/election/elector.h"
#include "operator/k8s/election/watchdog.h"
#include "operator/k8s/events/event_recorder.h"
#include "operator/k8s/rest_client.h"
#include "operator/runtime/controller.h"
#include "operator/runtime/manager.h"
#include "operator/stresstest/names.h"
#include "operator/stresstest/reconciler.h"

namespace torchsoak::app {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::minutes kSyncLimit{2};  ///< caches not filled by then: something is wrong
constexpr std::string_view kLeaseName = "torchsoak-controller";
constexpr std::string_view kController = "stresstest";

std::string EnvironmentOr(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? fallback : value;
}

std::string RandomSuffix() {
  std::random_device device;
  char text[20];
  std::snprintf(text, sizeof text, "%08x%08x", device(), device());
  return text;
}

double Random() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

/// The graph of everything that lives as long as the process. Members are declared in the order of
/// their dependencies.
class Controller {
 public:
  Controller(const ControllerOptions& options, k8s::Config config, Clock& clock)
      : options_(options),
        config_(std::move(config)),
        clock_(clock),
        pod_(EnvironmentOr("POD_NAME", EnvironmentOr("HOSTNAME", "torchsoak"))),
        shown_(Labels(), clock),
        transport_(config_.endpoint),
        client_(transport_, *config_.credentials, clock, ClientOptions()),
        lease_transport_(config_.endpoint),
        lease_client_(lease_transport_, *config_.credentials, clock, LeaseOptions()),
        leases_(lease_client_, {LeaseNamespace(), std::string(kLeaseName)}),
        elector_(ElectorOptions(), leases_, clock, Random, shown_.HooksOfElection()),
        tests_(k8s::MakeInformer(TestsToWatch(Namespaces(), shown_.metrics()), client_, clock)),
        jobs_(k8s::MakeInformer(JobsToWatch(Namespaces(), shown_.metrics()), client_, clock)),
        pods_(k8s::MakeInformer(PodsToWatch(Namespaces(), shown_.metrics()), client_, clock)),
        writes_(clock),
        logs_(
            client_, [](const k8s::Uid&) {}, log_stop_.get_token()),
        progress_(client_, *pods_, clock, [this](const k8s::ObjectKey& key) { queue_.Add(key); }),
        events_({"torchsoak.dev/controller", pod_}, client_, clock),
        queue_(clock, {}, &shown_.metrics().Queue(std::string(kController))),
        reconciler_(Parts(), {options.flags.runner_image, options.flags.allowed_images}),
        controller_(WorkerOptions(), reconciler_, queue_, clock, shown_.metrics()),
        manager_(clock) {
    const auto enqueue = [this](const k8s::ObjectKey& key) { queue_.Add(key); };
    EnqueueTests(*tests_, enqueue);
    EnqueueOwners(*jobs_, enqueue);
    EnqueueOwners(*pods_, enqueue);
    Show();
    AddRoles();
  }

  Status Run() {
    const Status serving =
        shown_.Serve(options_.flags.probe_address, options_.flags.metrics_address);
    if (!serving) return serving;
    if (options_.flags.leader_elect) {
      watchdog_ =
          std::make_unique<k8s::Watchdog>(elector_.term(), ElectorOptions().renew_deadline, clock_);
    }
    return manager_.Run();
  }

  void Stop() { manager_.Stop(); }

 private:
  const std::vector<std::string>& Namespaces() const { return options_.flags.watch_namespaces; }

  std::string LeaseNamespace() const {
    if (!options_.flags.lease_namespace.empty()) return options_.flags.lease_namespace;
    return EnvironmentOr("POD_NAMESPACE", "torchsoak-system");
  }

  runtime::MetricsLabels Labels() const {
    std::string api_host;
    if (const auto endpoint = config_.endpoint()) {
      api_host = (*endpoint)->host + ":" + std::to_string((*endpoint)->port);
    }
    return LabelsOf(std::string(kController),
                    options_.flags.leader_elect ? std::string(kLeaseName) : "", api_host);
  }

  k8s::RestOptions ClientOptions() {
    k8s::RestOptions options;
    options.random = Random;
    options.on_warning = [](const std::string& text) {
      Log(LogLevel::kWarning, "the API server warns", {{"warning", text}});
    };
    options.on_request = [this](std::string_view verb, int code, std::chrono::nanoseconds took) {
      shown_.metrics().ClientRequest(verb, code, took);
    };
    return options;
  }

  /// Renewing must not queue behind anything: its own connection, one try, a short deadline.
  k8s::RestOptions LeaseOptions() {
    k8s::RestOptions options = ClientOptions();
    options.tries = 1;
    options.deadline = ElectorOptions().request_timeout;
    return options;
  }

  k8s::ElectorOptions ElectorOptions() const {
    return k8s::ElectorOptions::Scaled(identity_, options_.lease_duration);
  }

  stresstest::ReconcilerParts Parts() {
    return {client_,
            *tests_,
            *jobs_,
            *pods_,
            writes_,
            logs_,
            progress_,
            clock_,
            [this] { return !options_.flags.leader_elect || elector_.IsLeader(); },
            [this](k8s::Event event) { events_.Record(std::move(event)); },
            [this](const std::string& verdict) { shown_.metrics().RunVerdict(verdict); }};
  }

  runtime::ControllerOptions WorkerOptions() const {
    runtime::ControllerOptions options;
    options.name = kController;
    options.workers = options_.flags.workers;
    options.on_error = [](const k8s::ObjectKey& key, const Error& error) {
      Log(LogLevel::kWarning, "a reconcile failed and will be repeated",
          {{"test", key.ToString()}, {"code", ToString(error.code)}, {"error", error.message}});
    };
    return options;
  }

  void Show() {
    shown_.AddInformer("stresstests", *tests_);
    shown_.AddInformer("jobs", *jobs_);
    shown_.AddInformer("pods", *pods_);
    shown_.CountPhases(*tests_);
    if (options_.flags.leader_elect) shown_.AddElection(elector_);
    shown_.metrics().OnRender([this] {
      shown_.metrics().SetEventsDropped(events_.Dropped());
      shown_.metrics().SetQueueInWork(std::string(kController), queue_.Unfinished());
    });
  }

  Status AwaitSync(std::stop_token stop) {
    const BootTime limit = clock_.Boot() + kSyncLimit;
    while (!tests_->Synced() || !jobs_->Synced() || !pods_->Synced()) {
      if (clock_.Boot() > limit) {
        return Fail(ErrorCode::kTimeout,
                    "the caches were not filled within 2 minutes; does the operator have the "
                    "rights to list StressTests, Jobs and pods, and is the CRD installed?");
      }
      if (!clock_.Sleep(milliseconds(20), stop)) return Fail(ErrorCode::kCancelled, "stopping");
    }
    return {};
  }

  void AddInformer(const std::string& name, k8s::Informer& informer) {
    manager_.Add(runtime::Stage::kCaches, {name,
                                           [&informer](std::stop_token stop) -> Status {
                                             informer.Run(stop);
                                             return {};
                                           },
                                           {},
                                           {}});
  }

  void AddRoles() {
    using runtime::Stage;
    manager_.Add(Stage::kEvents,
                 {"events", [this](std::stop_token stop) { return events_.Run(stop); }, {}, {}});
    AddInformer("tests", *tests_);
    AddInformer("jobs", *jobs_);
    AddInformer("pods", *pods_);
    manager_.AddGate(Stage::kWorkers, "cache sync",
                     [this](std::stop_token stop) { return AwaitSync(stop); });
    if (options_.flags.leader_elect) AddElection();
    manager_.Add(
        Stage::kWorkers,
        {"progress", [this](std::stop_token stop) { return progress_.Run(stop); }, {}, {}});
    manager_.Add(Stage::kWorkers, {"workers",
                                   [this](std::stop_token stop) { return controller_.Run(stop); },
                                   [this] { log_stop_.request_stop(); },
                                   {}});
  }

  void AddElection() {
    manager_.Add(runtime::Stage::kElection,
                 {"election", [this](std::stop_token stop) { return elector_.Run(stop); },
                  [this] { elector_.Retire(); },
                  [this](bool workers_ended) {
                    if (workers_ended) (void)elector_.Release(std::stop_token());
                  }});
    manager_.AddGate(runtime::Stage::kWorkers, "leadership",
                     [this](std::stop_token stop) { return elector_.WaitForLeadership(stop); });
  }

  const ControllerOptions& options_;
  k8s::Config config_;
  Clock& clock_;
  const std::string pod_;
  const std::string identity_ = pod_ + "_" + RandomSuffix();
  Observability shown_;
  http::CpprestTransport transport_;
  k8s::RestClient client_;
  http::CpprestTransport lease_transport_;
  k8s::RestClient lease_client_;
  k8s::LeaseClient leases_;
  k8s::Elector elector_;
  std::unique_ptr<k8s::Informer> tests_;
  std::unique_ptr<k8s::Informer> jobs_;
  std::unique_ptr<k8s::Informer> pods_;
  k8s::OwnWrites writes_;
  std::stop_source log_stop_;
  runtime::LogFollower logs_;
  stresstest::ProgressWatch progress_;
  k8s::EventRecorder events_;
  runtime::WorkQueue queue_;
  stresstest::StressTestReconciler reconciler_;
  runtime::Controller controller_;
  runtime::Manager manager_;
  std::unique_ptr<k8s::Watchdog> watchdog_;
};

}  // namespace

int RunController(const ControllerOptions& options) {
  ConfigureLog(2, options.log_level);
  if (const Status pool = http::InitThreads(8); !pool) {
    Log(LogLevel::kError, "cannot start", {{"error", pool.error().message}});
    return 1;
  }
  // Both live until _Exit: threads of the library may still look at them.
  static const std::unique_ptr<Clock> clock = MakeSystemClock();
  auto config = k8s::LoadConfig({options.flags.kubeconfig, options.flags.context},
                                k8s::SystemEnvironment(), *clock);
  if (!config) {
    Log(LogLevel::kError, "no cluster to work in", {{"error", config.error().message}});
    return 1;
  }
  Log(LogLevel::kInfo, "starting",
      {{"version", kVersion}, {"commit", kCommit}, {"cluster", config->source}});
  static Controller* controller = new Controller(options, std::move(*config), *clock);
  OnSignal([] { controller->Stop(); });
  const Status ended = controller->Run();
  if (ended) {
    Log(LogLevel::kInfo, "stopped");
    return 0;
  }
  Log(LogLevel::kError, "stopped by an error", {{"error", ended.error().message}});
  return 1;
}

}  // namespace torchsoak::app
