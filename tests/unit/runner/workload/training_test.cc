#include "runner/workload/training.h"

#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <cmath>

#include "runner/detect/exact_leak.h"
#include "runner/device/counting_allocator.h"
#include "runner/device/cpu_device.h"

namespace torchsoak::runner {
namespace {

using contract::Precision;

contract::Spec SmallTraining() {
  contract::Spec spec;
  spec.mode = contract::Mode::kTraining;
  spec.training.model.inputs = 32;
  spec.training.model.hidden = 64;
  spec.training.model.outputs = 4;
  spec.training.model.dropout = 0.1;
  spec.training.batch_size = 32;
  spec.training.samples_per_epoch = 200;  // six batches of 32 and one of 8
  spec.training.learning_rate = 1e-2;
  return spec;
}

class TrainingTest : public testing::Test {
 protected:
  TrainingTest() {
    InstallCountingAllocator();
    device_ = MakeCpuDevice();
  }
  std::unique_ptr<Workload> Prepared(const contract::Spec& spec,
                                     std::vector<std::string> devices = {"cpu"}) {
    auto training = MakeTraining(spec, *device_, std::move(devices));
    const Status ready = training->Prepare();
    EXPECT_TRUE(ready) << ready.error().message;
    return training;
  }
  std::vector<StepReport> Steps(Workload& workload, int count) {
    std::vector<StepReport> reports;
    for (int i = 0; i < count; ++i) {
      auto report = workload.Step(1);
      EXPECT_TRUE(report) << report.error().message;
      if (!report) break;
      reports.push_back(*report);
    }
    return reports;
  }
  std::unique_ptr<Device> device_;
};

TEST_F(TrainingTest, TheLastBatchOfAnEpochIsSmaller) {
  const auto training = Prepared(SmallTraining());
  const auto reports = Steps(*training, 8);
  EXPECT_EQ(reports[0].work, 32);
  EXPECT_EQ(reports[6].work, 8);
  EXPECT_TRUE(reports[6].epoch_finished);
  EXPECT_NE(reports[6].shape_key, reports[0].shape_key);
  EXPECT_EQ(reports[7].work, 32);
}

TEST_F(TrainingTest, AccumulationMakesOneStepOfSeveralBatches) {
  contract::Spec spec = SmallTraining();
  spec.training.accumulation_steps = 4;
  const auto reports = Steps(*Prepared(spec), 2);
  EXPECT_EQ(reports[0].work, 128);
  EXPECT_EQ(reports[1].work, 72);
  EXPECT_TRUE(reports[1].epoch_finished);
}

TEST_F(TrainingTest, TheLabelsCanBeLearned) {
  const auto reports = Steps(*Prepared(SmallTraining()), 300);
  EXPECT_LT(*reports.back().loss, *reports.front().loss / 2);
}

TEST_F(TrainingTest, TheSeedDecidesEveryLoss) {
  contract::Spec spec = SmallTraining();
  const auto losses = [&](std::uint64_t seed) {
    spec.seed = seed;
    std::vector<double> values;
    for (const StepReport& report : Steps(*Prepared(spec), 20)) values.push_back(*report.loss);
    return values;
  };
  EXPECT_EQ(losses(3), losses(3));
  EXPECT_NE(losses(3), losses(4));
}

TEST_F(TrainingTest, MeasuringStartsWithAWholeEpoch) {
  const auto training = Prepared(SmallTraining());
  Steps(*training, 3);
  training->BeginMeasuring();
  EXPECT_TRUE(Steps(*training, 7).back().epoch_finished);
}

TEST_F(TrainingTest, AnAbsurdLearningRateGivesALossThatIsNotFinite) {
  contract::Spec spec = SmallTraining();
  spec.training.learning_rate = 1e30;
  spec.training.optimizer = contract::Optimizer::kSgd;
  bool finite = true;
  for (const StepReport& report : Steps(*Prepared(spec), 20)) finite &= std::isfinite(*report.loss);
  EXPECT_FALSE(finite);
}

struct Numbers {
  Precision precision;
  bool amp;
  contract::Optimizer optimizer;
};
class EveryPrecision : public TrainingTest, public testing::WithParamInterface<Numbers> {};

TEST_P(EveryPrecision, TrainsAndLeavesNothingBehind) {
  contract::Spec spec = SmallTraining();
  spec.training.precision = GetParam().precision;
  spec.training.amp = GetParam().amp;
  spec.training.optimizer = GetParam().optimizer;
  const auto training = Prepared(spec);
  ExactLeak leak;
  for (std::int64_t i = 0; i < 90; ++i) {
    const auto report = training->Step(1);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->updated.has_value(),
              GetParam().amp && GetParam().precision == Precision::kFp16);
    const MemoryUse use = device_->Memory();
    leak.Observe({i, report->shape_key, use.objects, use.requested});
  }
  EXPECT_EQ(leak.Conclude().leak.result, contract::LeakResult::kNone)
      << leak.Conclude().explanation;
}

INSTANTIATE_TEST_SUITE_P(
    Numbers, EveryPrecision,
    testing::Values(Numbers{Precision::kFp32, false, contract::Optimizer::kAdam},
                    Numbers{Precision::kFp32, false, contract::Optimizer::kSgd},
                    Numbers{Precision::kFp32, false, contract::Optimizer::kAdamW},
                    Numbers{Precision::kBf16, false, contract::Optimizer::kAdam},
                    Numbers{Precision::kBf16, true, contract::Optimizer::kAdam},
                    Numbers{Precision::kFp16, true, contract::Optimizer::kSgd}));

class TrainingLeak : public TrainingTest, public testing::WithParamInterface<StepPart> {};

// Four bytes a step, among steps whose last of an epoch has other shapes.
TEST_P(TrainingLeak, IsFoundWithinAHundredStepsAndPlaced) {
  const auto training = Prepared(SmallTraining());
  ExactLeak leak;
  std::vector<c10::DataPtr> kept;
  for (std::int64_t i = 0; i < 100; ++i) {
    const auto report = training->Step(1);
    ASSERT_TRUE(report);
    if (i >= 40) {
      const InStepPart part(GetParam());
      kept.push_back(c10::GetCPUAllocator()->allocate(4));
    }
    const MemoryUse use = device_->Memory();
    leak.Observe({i, report->shape_key, use.objects, use.requested, use.born});
  }
  const auto finding = leak.Conclude();
  EXPECT_EQ(finding.leak.result, contract::LeakResult::kFound);
  EXPECT_DOUBLE_EQ(finding.leak.objects_per_step, 1);
  EXPECT_DOUBLE_EQ(finding.leak.bytes_per_step, 4);
  EXPECT_NEAR(static_cast<double>(finding.leak.first_step), 40, 8);
  EXPECT_EQ(finding.born, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Parts, TrainingLeak,
                         testing::Values(StepPart::kData, StepPart::kForward, StepPart::kBackward,
                                         StepPart::kOptimizer),
                         [](const auto& info) { return std::string(ToString(info.param)); });

TEST_F(TrainingTest, EveryLiveBlockOfAStepHasItsPart) {
  const auto training = Prepared(SmallTraining());
  Steps(*training, 3);
  const Birthplaces born = device_->Memory().born;
  std::int64_t sum = 0;
  for (const std::int64_t count : born) sum += count;
  EXPECT_EQ(sum, device_->Memory().objects);
  // Adam's moments are what the optimizer leaves for good.
  EXPECT_GE(born[static_cast<std::size_t>(StepPart::kOptimizer)], 8);
}

// Gradients that no scale keeps finite: each step says that it changed nothing.
TEST_F(TrainingTest, AStepThatLossScalingSkipsSaysSo) {
  contract::Spec spec = SmallTraining();
  spec.training.precision = Precision::kFp16;
  spec.training.amp = true;
  spec.training.optimizer = contract::Optimizer::kSgd;
  spec.training.learning_rate = 1e30;  // after one step the weights are beyond FP16
  const auto training = Prepared(spec);
  bool skipped = false;
  for (int i = 0; i < 30 && !skipped; ++i) {
    const auto report = training->Step(1);
    ASSERT_TRUE(report);
    skipped = !report->updated.value_or(true);
  }
  EXPECT_TRUE(skipped);
}

TEST_F(TrainingTest, SeveralDevicesTrainACopyEach) {
  const auto training = Prepared(SmallTraining(), {"cpu", "cpu"});
  EXPECT_EQ(Steps(*training, 1)[0].work, 64);
}

TEST_F(TrainingTest, MoreMemoryThanThereIsAnError) {
  contract::Spec spec = SmallTraining();
  spec.training.model.hidden = 1 << 20;
  spec.training.model.inputs = 1 << 20;
  const auto training = MakeTraining(spec, *device_, {"cpu"});
  const Status ready = training->Prepare();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kTooLarge) << ready.error().message;
}

}  // namespace
}  // namespace torchsoak::runner
