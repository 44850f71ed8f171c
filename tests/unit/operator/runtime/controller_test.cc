#include "operator/runtime/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <latch>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::runtime {
namespace {

using namespace std::chrono_literals;
using k8s::ObjectKey;
using ::testing::HasSubstr;

const ObjectKey kKey{"n", "a"};

/// Does what the test says.
class Scripted final : public Reconciler {
 public:
  using Script = std::function<Expected<ReconcileResult>(const ObjectKey&, std::stop_token)>;

  explicit Scripted(Script script) : script_(std::move(script)) {}

  Expected<ReconcileResult> Reconcile(const ObjectKey& key, std::stop_token stop) override {
    return script_(key, std::move(stop));
  }

 private:
  Script script_;
};

class ControllerTest : public ::testing::Test {
 protected:
  ~ControllerTest() override { Stop(); }

  void Start(Scripted::Script script, int workers = 1) {
    reconciler_ = std::make_unique<Scripted>(std::move(script));
    ControllerOptions options;
    options.name = "stresstest";
    options.workers = workers;
    options.on_error = [this](const ObjectKey&, const Error& error) {
      const std::lock_guard lock(mutex_);
      errors_.push_back(error.message);
      changed_.notify_all();
    };
    options.on_out_of_memory = [this] { ++out_of_memory_; };
    controller_ = std::make_unique<Controller>(options, *reconciler_, queue_, clock_, metrics_);
    thread_ = std::jthread(
        [this](std::stop_token stop) { EXPECT_TRUE(controller_->Run(std::move(stop))); });
  }

  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  void AwaitErrors(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return errors_.size() >= count; });
  }

  bool HasErrors() {
    const std::lock_guard lock(mutex_);
    return !errors_.empty();
  }

  /// Until a key waits for its time.
  void AwaitDelayed() {
    while (queue_.Delayed() == 0) std::this_thread::yield();
  }

  void ExpectMetric(const std::string& line) {
    EXPECT_THAT(metrics_.Render(), HasSubstr(line + "\n"));
  }

  fakes::FakeClock clock_;
  Metrics metrics_{{.controllers = {"stresstest"}}};
  WorkQueue queue_{clock_, {}, &metrics_.Queue("stresstest")};
  std::unique_ptr<Scripted> reconciler_;
  std::unique_ptr<Controller> controller_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> errors_;  // guarded by mutex_
  std::atomic<int> out_of_memory_ = 0;
  std::jthread thread_;
};

TEST_F(ControllerTest, SuccessEndsTheBackoff) {
  std::latch done(2);
  std::atomic<int> calls = 0;
  Start([&](const ObjectKey& key, std::stop_token) -> Expected<ReconcileResult> {
    EXPECT_EQ(key, kKey);
    done.count_down();
    if (++calls == 1) return Fail(ErrorCode::kUnavailable, "later");
    return ReconcileResult{};
  });
  queue_.Add(kKey);
  AwaitDelayed();
  while (!done.try_wait()) {
    clock_.AwaitSleepers(2);  // the queue's and the deadlines' threads
    clock_.Advance(5ms);
  }
  Stop();
  EXPECT_EQ(queue_.Failures(kKey), 0);
  ExpectMetric(R"(controller_runtime_reconcile_total{controller="stresstest",result="error"} 1)");
  ExpectMetric(R"(controller_runtime_reconcile_total{controller="stresstest",result="success"} 1)");
  ExpectMetric(R"(controller_runtime_reconcile_errors_total{controller="stresstest"} 1)");
  ExpectMetric(R"(controller_runtime_reconcile_time_seconds_count{controller="stresstest"} 2)");
  ExpectMetric(R"(controller_runtime_active_workers{controller="stresstest"} 0)");
  ExpectMetric(R"(controller_runtime_max_concurrent_reconciles{controller="stresstest"} 1)");
  ExpectMetric(R"(workqueue_retries_total{controller="stresstest",name="stresstest"} 1)");
}

TEST_F(ControllerTest, RequeueAfterComesAgainByTheClock) {
  std::latch first(1);
  std::latch second(2);
  Start([&](const ObjectKey&, std::stop_token) -> Expected<ReconcileResult> {
    second.count_down();
    if (!first.try_wait()) {
      first.count_down();
      return ReconcileResult{.requeue_after = 20s};
    }
    return ReconcileResult{};
  });
  queue_.Add(kKey);
  first.wait();
  AwaitDelayed();
  const BootTime before = clock_.Boot();
  while (!second.try_wait()) {
    clock_.AwaitSleepers(2);
    clock_.Advance(1s);
  }
  EXPECT_GE(clock_.Boot() - before, 20s);
  Stop();
  ExpectMetric(
      R"(controller_runtime_reconcile_total{controller="stresstest",result="requeue_after"} 1)");
}

TEST_F(ControllerTest, RequeueWithoutDelayBacksOff) {
  std::atomic<int> calls = 0;
  Start([&](const ObjectKey&, std::stop_token) -> Expected<ReconcileResult> {
    ++calls;
    return ReconcileResult{.requeue_after = 0ms};
  });
  queue_.Add(kKey);
  while (queue_.Failures(kKey) == 0) std::this_thread::yield();
  EXPECT_EQ(calls, 1) << "no hot loop";
  Stop();
  ExpectMetric(R"(controller_runtime_reconcile_total{controller="stresstest",result="requeue"} 1)");
}

TEST_F(ControllerTest, ExceptionsAreCountedAndTriedAgain) {
  Start([&](const ObjectKey& key, std::stop_token) -> Expected<ReconcileResult> {
    if (key.name == "odd") throw 7;
    throw std::runtime_error("surprise");
  });
  queue_.Add(kKey);
  queue_.Add({"n", "odd"});
  AwaitErrors(2);
  Stop();
  EXPECT_THAT(errors_[0], HasSubstr("surprise"));
  EXPECT_EQ(out_of_memory_, 0);
  ExpectMetric(R"(controller_runtime_reconcile_panics_total{controller="stresstest"} 2)");
}

TEST_F(ControllerTest, OutOfMemoryEndsTheProcess) {
  Start([](const ObjectKey&, std::stop_token) -> Expected<ReconcileResult> {
    throw std::bad_alloc();
  });
  queue_.Add(kKey);
  AwaitErrors(1);
  EXPECT_EQ(out_of_memory_, 1);
}

TEST_F(ControllerTest, AsksALateReconcileToStop) {
  Start([](const ObjectKey&, std::stop_token stop) -> Expected<ReconcileResult> {
    std::latch stopped(1);
    const std::stop_callback release(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return Fail(ErrorCode::kCancelled, "asked to stop");
  });
  queue_.Add(kKey);
  while (!HasErrors()) {
    clock_.AwaitSleepers(2);
    clock_.Advance(1s);
  }
  Stop();
  ExpectMetric(R"(controller_runtime_reconcile_timeouts_total{controller="stresstest"} 1)");
}

TEST_F(ControllerTest, ShutDownAsksReconcilesToStopAndForgivesThem) {
  std::latch entered(2);
  Start(
      [&](const ObjectKey&, std::stop_token stop) -> Expected<ReconcileResult> {
        entered.count_down();
        std::latch stopped(1);
        const std::stop_callback release(stop, [&] { stopped.count_down(); });
        stopped.wait();
        return Fail(ErrorCode::kCancelled, "asked to stop");
      },
      2);
  queue_.Add(kKey);
  queue_.Add({"n", "b"});
  queue_.Add({"n", "c"});
  entered.wait();
  Stop();
  EXPECT_TRUE(errors_.empty());
  ExpectMetric(R"(controller_runtime_reconcile_total{controller="stresstest",result="error"} 0)");
  ExpectMetric(R"(controller_runtime_reconcile_timeouts_total{controller="stresstest"} 0)");
}

}  // namespace
}  // namespace torchsoak::runtime
