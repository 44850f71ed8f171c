#pragma once
// Every metric of the operator, in one file, under the names that controller-runtime users know.
//
// Families are registered once, here, and every series that can be known starts at 0. Labels come
// from closed sets: no object name ever becomes one (prometheus-cpp#646). Thread-safe; calls cost
// a hash look-up. Rendering is asked for by the probe server.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/runtime/work_queue.h"

namespace torchsoak::runtime {

/// The label values that exist from the start.
struct MetricsLabels {
  std::vector<std::string> controllers;     ///< also the names of their queues
  std::vector<std::string> resources;       ///< plurals of the watched kinds
  std::vector<std::string> restart_causes;  ///< k8s::RestartCauses()
  std::vector<std::string> phases;          ///< of a StressTest
  std::vector<std::string> verdicts;
  std::string lease;     ///< name of the Lease; "" = no election
  std::string api_host;  ///< host:port of the API server
};

enum class ReconcileOutcome { kSuccess, kError, kRequeue, kRequeueAfter };

class Metrics {
 public:
  explicit Metrics(const MetricsLabels& labels);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// The whole page in Prometheus' text format. Runs the collectors first.
  std::string Render() const;

  /// `Content-Type` of what Render returns.
  static std::string_view ContentType();

  /// `collector` runs before each rendering and sets gauges that are read rather than counted
  /// (ages, sizes). Add before serving starts; must be quick.
  void OnRender(std::function<void()> collector);

  // Controllers.
  void Reconciled(const std::string& controller, ReconcileOutcome outcome,
                  std::chrono::nanoseconds took);
  void ReconcilePanicked(const std::string& controller);
  void ReconcileTimedOut(const std::string& controller);
  void TerminalError(const std::string& controller);
  void SetMaxConcurrent(const std::string& controller, int workers);
  void AddActiveWorkers(const std::string& controller, int difference);

  /// Feeds the workqueue_* families of that controller; owned by Metrics.
  WorkQueueObserver& Queue(const std::string& controller);
  void SetQueueInWork(const std::string& controller, const WorkQueue::InWork& in_work);

  // API client. `status` 0: no reply (label "<error>").
  void ClientRequest(std::string_view method, int status, std::chrono::nanoseconds took);

  // Election.
  void SetLeading(bool leading);
  void ElectionSlowPath();

  // Ours.
  void SetRuns(const std::string& phase, std::size_t count);
  void RunVerdict(const std::string& verdict);
  void WatchRestarted(const std::string& resource, const std::string& cause);
  void SetLastEventAge(const std::string& resource, std::chrono::nanoseconds age);
  void SetCacheObjects(const std::string& resource, std::size_t count);
  /// `total` so far; it only grows.
  void SetEventsDropped(std::uint64_t total);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace torchsoak::runtime
