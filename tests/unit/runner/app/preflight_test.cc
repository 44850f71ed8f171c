#include "runner/app/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_clock.h"
#include "tests/unit/runner/app/fake_backend.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;
using contract::Reason;
using contract::Verdict;
using testing::HasSubstr;

class PreflightTest : public testing::Test {
 protected:
  std::unique_ptr<Device> Run(const contract::Spec& spec) {
    return RunPreflight(spec, environment_, backend_, recorder_);
  }
  const contract::Outcome& outcome() { return *recorder_.draft().outcome; }

  fakes::FakeClock clock_;
  Heartbeat heartbeat_;
  Board board_;
  Recorder recorder_{clock_, heartbeat_, board_};
  Environment environment_;
  FakeBackend backend_;
};

TEST_F(PreflightTest, ACpuRunNeedsNoGpuAndIgnoresThoseThatAreThere) {
  backend_.visible = 4;
  EXPECT_NE(Run(FakeTraining(1)), nullptr);
  EXPECT_FALSE(recorder_.draft().outcome);
}

TEST_F(PreflightTest, FewerGpusThanAskedForAreNeverACpuRun) {
  contract::Spec spec = FakeTraining(1);
  spec.gpu.per_pod = 1;
  EXPECT_EQ(Run(spec), nullptr);
  EXPECT_EQ(outcome().verdict, Verdict::kError);
  EXPECT_EQ(outcome().reason, Reason::kDeviceCountMismatch);
  EXPECT_THAT(outcome().message,
              HasSubstr("asks for 1 GPU, this process sees 0: there is no driver; "));
}

TEST_F(PreflightTest, MoreGpusThanAskedForAreAMismatchToo) {
  contract::Spec spec = FakeTraining(1);
  spec.gpu.per_pod = 2;
  backend_.visible = 8;
  EXPECT_EQ(Run(spec), nullptr);
  EXPECT_THAT(outcome().message, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST_F(PreflightTest, NotesTheGpusItUses) {
  contract::Spec spec = FakeTraining(1);
  spec.gpu.per_pod = 2;
  backend_.visible = 2;
  EXPECT_NE(Run(spec), nullptr);
  EXPECT_THAT(recorder_.draft().place.gpus, testing::ElementsAre("GPU-0", "GPU-1"));
  EXPECT_EQ(recorder_.draft().place.gpu_model, "Fake GPU");
}

TEST_F(PreflightTest, ADeviceThatCannotBeOpenedIsNamedInWords) {
  backend_.open_error = "the NVIDIA driver is older than this LibTorch's CUDA needs";
  EXPECT_EQ(Run(FakeTraining(1)), nullptr);
  EXPECT_EQ(outcome().reason, Reason::kPreflightFailed);
  EXPECT_THAT(outcome().message, HasSubstr("driver is older"));
}

TEST_F(PreflightTest, AWrongProductIsAWrongResult) {
  backend_.product.result = GateResult::kFailed;
  backend_.product.message = "sum of row 3 of the product is 4, not 5";
  EXPECT_EQ(Run(FakeTraining(1)), nullptr);
  EXPECT_EQ(outcome().verdict, Verdict::kFailed);
  EXPECT_EQ(outcome().reason, Reason::kWrongResult);
}

TEST_F(PreflightTest, AProductThatCannotBeComputedIsAnError) {
  backend_.product.result = GateResult::kNotEvaluated;
  backend_.product.message = "this LibTorch has no code for this GPU";
  EXPECT_EQ(Run(FakeTraining(1)), nullptr);
  EXPECT_EQ(outcome().verdict, Verdict::kError);
  EXPECT_EQ(outcome().reason, Reason::kPreflightFailed);
}

TEST_F(PreflightTest, AShortFormRunsBeforeEveryTest) {
  Run(FakeTraining(1));
  EXPECT_EQ(backend_.product_size, 256);
}

TEST_F(PreflightTest, APreflightTestChecksTheSizeItWasGiven) {
  contract::Spec spec;
  spec.mode = contract::Mode::kPreflight;
  spec.gpu.per_pod = 0;
  spec.preflight.matrix_size = 1024;
  Run(spec);
  EXPECT_EQ(backend_.product_size, 1024);
}

TEST_F(PreflightTest, EveryItemBeats) {
  const auto before = heartbeat_.beats();
  Run(FakeTraining(1));
  EXPECT_GE(heartbeat_.beats(), before + 2);
}

TEST(EnvironmentGates, ASmallShmIsWarnedAbout) {
  Environment environment;
  environment.shm_bytes = std::int64_t{64} << 20;
  const auto gates = EnvironmentGates(environment);
  EXPECT_EQ(gates[0].result, GateResult::kWarned);
}

TEST(EnvironmentGates, NoShmIsSkippedWithTheReason) {
  const auto gates = EnvironmentGates(Environment{});
  EXPECT_EQ(gates[0].result, GateResult::kNotEvaluated);
  EXPECT_THAT(gates[0].message, HasSubstr("/dev/shm"));
}

TEST(EnvironmentGates, MoreThreadsThanTheLimitAreWarnedAbout) {
  Environment environment;
  environment.cgroup.cpus = 1;
  environment.threads = {8, "OMP_NUM_THREADS"};
  EXPECT_EQ(EnvironmentGates(environment).back().result, GateResult::kWarned);
}

}  // namespace
}  // namespace torchsoak::runner
