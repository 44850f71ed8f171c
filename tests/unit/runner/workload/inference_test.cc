#include "runner/workload/inference.h"

#include <gtest/gtest.h>

#include "runner/detect/exact_leak.h"
#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"

namespace torchsoak::runner {
namespace {

contract::Spec SmallInference(std::int64_t streams) {
  contract::Spec spec;
  spec.mode = contract::Mode::kInference;
  spec.inference.model.inputs = 16;
  spec.inference.model.hidden = 32;
  spec.inference.batch_size = 4;
  spec.inference.streams = streams;
  return spec;
}

class InferenceTest : public testing::Test {
 protected:
  InferenceTest() {
    InstallCountingAllocator();
    device_ = MakeCpuDevice();
  }
  std::unique_ptr<Workload> Prepared(const contract::Spec& spec) {
    auto inference = MakeInference(spec, *device_, {"cpu"}, 1, *clock_);
    const Status ready = inference->Prepare();
    EXPECT_TRUE(ready) << ready.error().message;
    inference->BeginMeasuring();
    return inference;
  }
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  std::unique_ptr<Device> device_;
};

TEST_F(InferenceTest, OneStreamMakesOneRequestAStep) {
  const auto inference = Prepared(SmallInference(1));
  const auto report = inference->Step(100);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps, 1);
  EXPECT_EQ(report->work, 4);
  ASSERT_EQ(report->latencies_ns.size(), 1U);
  EXPECT_GT(report->latencies_ns[0], 0);
}

TEST_F(InferenceTest, StreamsMakeTheSameNumberEach) {
  const auto inference = Prepared(SmallInference(3));
  const auto report = inference->Step(1'000'000);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps % 3, 0);
  EXPECT_EQ(report->latencies_ns.size(), static_cast<std::size_t>(report->steps));
  EXPECT_TRUE(report->quiescent);
}

TEST_F(InferenceTest, NeverMoreRequestsThanAreLeft) {
  const auto inference = Prepared(SmallInference(3));
  const auto report = inference->Step(2);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps, 2);
  EXPECT_FALSE(report->quiescent);
}

TEST_F(InferenceTest, RequestsLeaveNothingBehind) {
  const auto inference = Prepared(SmallInference(2));
  ExactLeak leak;
  std::int64_t steps = 0;
  for (int i = 0; i < 23; ++i) {
    const auto report = inference->Step(200);
    ASSERT_TRUE(report);
    steps += report->steps;
    leak.Observe({steps, 0, device_->Memory().objects, device_->Memory().requested});
  }
  EXPECT_EQ(leak.Conclude().leak.result, contract::LeakResult::kNone);
}

TEST_F(InferenceTest, EveryPrecisionAnswers) {
  for (const auto precision : {contract::Precision::kBf16, contract::Precision::kFp16}) {
    contract::Spec spec = SmallInference(1);
    spec.inference.precision = precision;
    const auto report = Prepared(spec)->Step(1);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->errors, 0);
  }
}

}  // namespace
}  // namespace torchsoak::runner
