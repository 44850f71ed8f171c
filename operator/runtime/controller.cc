#include "operator/runtime/controller.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

namespace torchsoak::runtime {
namespace {

void EndProcess() {
  constexpr std::string_view why =
      "{\"level\":\"error\",\"msg\":\"out of memory in a reconcile: ending the process\"}\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, why.data(), why.size());
  std::_Exit(1);
}

void NameThread(const std::string& name, const std::string& suffix) {
  // 15 bytes are all a thread's name holds: the suffix tells more than the name's end.
  const std::string text = name.substr(0, 15 - std::min<std::size_t>(suffix.size(), 8)) + suffix;
  pthread_setname_np(pthread_self(), text.substr(0, 15).c_str());
}

}  // namespace

struct Controller::Worker {
  std::mutex mutex;
  // All guarded by mutex.
  std::optional<std::stop_source> call;  ///< of the reconcile under way
  BootTime since{0};
  bool late = false;
};

Controller::Controller(ControllerOptions options, Reconciler& reconciler, WorkQueue& queue,
                       Clock& clock, Metrics& metrics)
    : options_(std::move(options)),
      reconciler_(reconciler),
      queue_(queue),
      clock_(clock),
      metrics_(metrics) {
  for (int i = 0; i < options_.workers; ++i) workers_.push_back(std::make_unique<Worker>());
  metrics_.SetMaxConcurrent(options_.name, options_.workers);
}

Controller::~Controller() = default;

Status Controller::Run(std::stop_token stop) {
  stop_ = stop;
  std::vector<std::jthread> threads;
  threads.emplace_back([this](std::stop_token ended) {
    NameThread(options_.name, "-late");
    WatchDeadlines(std::move(ended));
  });
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    threads.emplace_back([this, i] {
      NameThread(options_.name, "-" + std::to_string(i));
      Work(*workers_[i]);
    });
  }
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop, [] { return false; });
  queue_.ShutDown();
  while (threads.size() > 1) threads.pop_back();  // the deadline's thread is joined last
  return {};
}

void Controller::Work(Worker& worker) {
  while (const std::optional<k8s::ObjectKey> key = queue_.Get()) {
    metrics_.AddActiveWorkers(options_.name, 1);
    WorkOn(worker, *key);
    metrics_.AddActiveWorkers(options_.name, -1);
    queue_.Done(*key);
  }
}

void Controller::WorkOn(Worker& worker, const k8s::ObjectKey& key) {
  std::stop_source call;
  const BootTime began = clock_.Boot();
  {
    const std::lock_guard lock(worker.mutex);
    worker.call = call;
    worker.since = began;
    worker.late = false;
  }
  Expected<ReconcileResult> result;
  {
    const std::stop_callback at_shutdown(stop_, [&call] { call.request_stop(); });
    result = Call(key, call.get_token());
  }
  {
    const std::lock_guard lock(worker.mutex);
    worker.call.reset();
    if (worker.late) metrics_.ReconcileTimedOut(options_.name);
  }
  Settle(key, result, clock_.Boot() - began);
}

Expected<ReconcileResult> Controller::Call(const k8s::ObjectKey& key, std::stop_token stop) {
  std::string what = "something that is no std::exception";
  try {
    return reconciler_.Reconcile(key, std::move(stop));
  } catch (const std::bad_alloc&) {
    options_.on_out_of_memory ? options_.on_out_of_memory() : EndProcess();
    what = "out of memory";
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  metrics_.ReconcilePanicked(options_.name);
  return Fail(ErrorCode::kInternal, "exception out of a reconcile: " + what);
}

void Controller::Settle(const k8s::ObjectKey& key, const Expected<ReconcileResult>& result,
                        std::chrono::nanoseconds took) {
  if (!result) {
    // Being asked to stop is no failure of the object's.
    if (stop_.stop_requested() && result.error().code == ErrorCode::kCancelled) return;
    metrics_.Reconciled(options_.name, ReconcileOutcome::kError, took);
    if (options_.on_error) options_.on_error(key, result.error());
    queue_.AddRateLimited(key);
    return;
  }
  if (!result->requeue_after) {
    metrics_.Reconciled(options_.name, ReconcileOutcome::kSuccess, took);
    queue_.Forget(key);
    return;
  }
  if (result->requeue_after->count() <= 0) {
    metrics_.Reconciled(options_.name, ReconcileOutcome::kRequeue, took);
    queue_.AddRateLimited(key);
    return;
  }
  metrics_.Reconciled(options_.name, ReconcileOutcome::kRequeueAfter, took);
  queue_.Forget(key);
  queue_.AddAfter(key, *result->requeue_after);
}

void Controller::WatchDeadlines(std::stop_token stop) {
  const auto interval =
      std::max<std::chrono::milliseconds>(options_.deadline / 30, std::chrono::milliseconds(1));
  while (clock_.Sleep(interval, stop)) StopLate();
}

void Controller::StopLate() {
  const BootTime now = clock_.Boot();
  for (const auto& worker : workers_) {
    std::stop_source late{std::nostopstate};
    {
      const std::lock_guard lock(worker->mutex);
      if (!worker->call || worker->late || now - worker->since < options_.deadline) continue;
      worker->late = true;
      late = *worker->call;
    }
    late.request_stop();  // runs foreign callbacks: not under our lock
  }
}

}  // namespace torchsoak::runtime
