#pragma once
// Workers around a Reconciler: take a key, bring it on its way, decide when to look again.
//
// A value ends the key's back-off; with requeue_after > 0 it comes again then, with ≤ 0 by
// back-off. An Error or an exception comes again by back-off. kCancelled at shutdown counts as
// nothing.
//
// Owns its threads: the workers ("<name>-<n>") and one that watches the deadlines ("<name>-late").

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/runtime/metrics.h"
#include "operator/runtime/reconciler.h"
#include "operator/runtime/work_queue.h"

namespace torchsoak::runtime {

struct ControllerOptions {
  std::string name;  ///< label `controller` of the metrics, and start of the threads' names
  int workers = 4;
  std::chrono::milliseconds deadline{30'000};  ///< per reconcile; then its stop token is requested

  /// Called for each reconcile that failed (also by an exception), on the worker; for the log.
  std::function<void(const k8s::ObjectKey&, const Error&)> on_error;

  /// Called on std::bad_alloc: what is left in memory cannot be trusted. Empty: says so on
  /// standard error and calls _Exit(1).
  std::function<void()> on_out_of_memory;
};

class Controller {
 public:
  /// Everything handed in must outlive the controller.
  Controller(ControllerOptions options, Reconciler& reconciler, WorkQueue& queue, Clock& clock,
             Metrics& metrics);
  ~Controller();

  /// Starts the workers; blocks until `stop`, then shuts the queue down, asks reconciles under way
  /// to stop and joins the workers. Returns a value. Call once.
  Status Run(std::stop_token stop);

 private:
  struct Worker;  // one slot per worker: its key's stop source and start time

  void Work(Worker& worker);
  void WorkOn(Worker& worker, const k8s::ObjectKey& key);
  Expected<ReconcileResult> Call(const k8s::ObjectKey& key, std::stop_token stop);
  void Settle(const k8s::ObjectKey& key, const Expected<ReconcileResult>& result,
              std::chrono::nanoseconds took);
  void WatchDeadlines(std::stop_token stop);
  void StopLate();

  const ControllerOptions options_;
  Reconciler& reconciler_;
  WorkQueue& queue_;
  Clock& clock_;
  Metrics& metrics_;
  std::stop_token stop_;  // set by Run before the workers start
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace torchsoak::runtime
