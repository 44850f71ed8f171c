#include "runner/workload/benchmark.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"

namespace torchsoak::runner {
namespace {

using contract::Measure;
using contract::TimerMethod;

contract::Spec Small() {
  contract::Spec spec;
  spec.mode = contract::Mode::kBenchmark;
  spec.benchmark.model.inputs = 16;
  spec.benchmark.model.hidden = 32;
  spec.benchmark.batch_size = 4;
  spec.benchmark.timer.min_run_time = std::chrono::milliseconds(20);
  return spec;
}

class BenchmarkTest : public testing::Test {
 protected:
  BenchmarkTest() {
    InstallCountingAllocator();
    device_ = MakeCpuDevice();
  }
  std::unique_ptr<Workload> Prepared(const contract::Spec& spec) {
    auto benchmark = MakeBenchmark(spec, *device_, {"cpu"}, 1, *clock_);
    const Status ready = benchmark->Prepare();
    EXPECT_TRUE(ready) << ready.error().message;
    benchmark->BeginMeasuring();
    return benchmark;
  }
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  std::unique_ptr<Device> device_;
};

TEST_F(BenchmarkTest, ForEachMeasureItEndsByItself) {
  for (const Measure measure : {Measure::kForward, Measure::kBackward, Measure::kStep}) {
    contract::Spec spec = Small();
    spec.benchmark.measure = measure;
    const auto benchmark = Prepared(spec);
    std::chrono::nanoseconds sum{};
    bool last = false;
    for (int i = 0; i < 10'000 && !last; ++i) {
      const auto report = benchmark->Step(1);
      ASSERT_TRUE(report) << report.error().message;
      ASSERT_TRUE(report->block);
      EXPECT_GE(report->steps, 1);
      EXPECT_EQ(report->work, 4.0 * static_cast<double>(report->steps));
      EXPECT_GT(report->block->time.count(), 0);
      sum += report->block->time;
      last = report->block->last;
      EXPECT_EQ(last, sum >= spec.benchmark.timer.min_run_time);
    }
    EXPECT_TRUE(last);
  }
}

TEST_F(BenchmarkTest, NothingStaysBehindABlock) {
  contract::Spec spec = Small();
  spec.benchmark.measure = Measure::kStep;
  const auto benchmark = Prepared(spec);
  ASSERT_TRUE(benchmark->Step(1));
  const std::int64_t before = device_->Memory().objects;
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(benchmark->Step(1));
  EXPECT_EQ(device_->Memory().objects, before);
}

TEST_F(BenchmarkTest, WarmUpDoesNotCount) {
  contract::Spec spec = Small();
  spec.benchmark.timer.method = TimerMethod::kTimeit;
  spec.benchmark.timer.number = 5;
  const auto benchmark = Prepared(spec);
  for (int round = 0; round < 2; ++round) {
    std::int64_t runs = 0;
    bool last = false;
    for (int i = 0; i < 10 && !last; ++i) {
      const auto report = benchmark->Step(1);
      ASSERT_TRUE(report);
      runs += report->steps;
      last = report->block->last;
    }
    EXPECT_TRUE(last);
    EXPECT_EQ(runs, 5) << round;
    benchmark->BeginMeasuring();
  }
}

TEST_F(BenchmarkTest, TheFlagsAreSet) {
  contract::Spec spec = Small();
  spec.benchmark.backend.deterministic = true;
  spec.benchmark.backend.threads = 2;
  const auto benchmark = Prepared(spec);
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_EQ(at::get_num_threads(), 2);
  const Json told = benchmark->Describe();
  EXPECT_EQ(told.at("backend").at("deterministic"), true);
  EXPECT_EQ(told.at("backend").at("threads"), 2);
  EXPECT_EQ(told.at("gradMode"), "InferenceMode");
  EXPECT_GT(told.at("parameters"), 0);
  const auto usual = Prepared(Small());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
  EXPECT_EQ(at::get_num_threads(), 1);
}

}  // namespace
}  // namespace torchsoak::runner
