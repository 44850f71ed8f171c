#include "runner/app/soak.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runner/measure/process_use.h"

namespace torchsoak::runner {

using contract::Reason;
using contract::Verdict;
using std::chrono::nanoseconds;

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

bool AsksFiniteLoss(const contract::Spec& spec) {
  return std::ranges::find(spec.training.checks, contract::Check::kFiniteLoss) !=
         spec.training.checks.end();
}

Checks ChecksOf(const StepReport& report) {
  const Checked& checked = report.checked;
  return {checked.results, checked.wrong, checked.unchecked, checked.detail, checked.covered};
}

std::optional<TimedBlock> BlockOf(const StepReport& report) {
  if (!report.block) return std::nullopt;
  return TimedBlock{report.block->time, report.block->last, report.block->settled};
}

}  // namespace

Soak::Soak(const contract::Spec& spec, Workload& workload, Device& device, Recorder& recorder,
           const std::atomic<bool>& stop)
    : spec_(spec),
      workload_(workload),
      device_(device),
      recorder_(recorder),
      stop_(stop),
      check_finite_(AsksFiniteLoss(spec)) {}

void Soak::Run() {
  if (spec_.warmup && !Warmup()) return;
  Measure();
}

void Soak::Fail(const Error& error) {
  const Measurements* measured = recorder_.measurements();
  const bool measuring = measured != nullptr && measured->steps() > 0;
  const bool memory = error.code == ErrorCode::kTooLarge;
  recorder_.draft().outcome =
      contract::Outcome{measuring ? Verdict::kFailed : Verdict::kError,
                        memory ? Reason::kOOMKilled : Reason::kRunnerCrashed, error.message};
}

bool Soak::Warmup() {
  recorder_.Enter(Phase::kWarmup);
  recorder_.StartMeasuring(spec_.mode);
  const Clock& clock = recorder_.clock();
  const BootTime until = clock.Boot() + *spec_.warmup;
  while (!stop_.load(std::memory_order_relaxed) && clock.Boot() < until) {
    const Expected<StepReport> report = workload_.Step(kNoLimit);
    if (!report) {
      Fail(report.error());
      return false;
    }
    recorder_.draft().warmup_steps += report->steps;
    recorder_.heartbeat().Steps(report->steps);
    if (report->loss) recorder_.measurements()->AddWarmupLoss(*report->loss);
    recorder_.measurements()->AddChecks(ChecksOf(*report));
    // Once NaN, always NaN, unless loss scaling kept it out of the weights: the first measured step
    // says so with its number.
    const bool kept = report->updated.value_or(true);
    if (check_finite_ && kept && report->loss && !std::isfinite(*report->loss)) break;
  }
  return !stop_.load(std::memory_order_relaxed);
}

void Soak::Measure() {
  workload_.BeginMeasuring();
  device_.Synchronize();
  recorder_.StartMeasuring(spec_.mode);
  recorder_.Enter(Phase::kMeasure);
  device_.ResetPeak();
  began_ = epoch_began_ = recorder_.clock().Boot();
  while (!stop_.load(std::memory_order_relaxed) && !LimitReached()) {
    if (!OneStep()) break;
  }
  recorder_.draft().completed = LimitReached() || !stop_.load(std::memory_order_relaxed);
}

std::int64_t Soak::StepsLeft() const {
  if (!spec_.max_iterations) return kNoLimit;
  return *spec_.max_iterations - recorder_.measurements()->steps();
}

bool Soak::LimitReached() const {
  const Measurements& measured = *recorder_.measurements();
  if (StepsLeft() <= 0 || measured.blocks().last()) return true;
  if (spec_.duration && measured.elapsed() >= *spec_.duration) return true;
  return spec_.training.epochs && measured.epochs_finished() >= *spec_.training.epochs;
}

bool Soak::OneStep() {
  Measurements& measured = *recorder_.measurements();
  const Clock& clock = recorder_.clock();
  const BootTime before = clock.Boot();
  const Expected<StepReport> report = workload_.Step(StepsLeft());
  const BootTime after = clock.Boot();
  if (!report) {
    Fail(report.error());
    return false;
  }
  const std::array<std::int64_t, 1> whole = {(after - before).count()};
  MeasuredStep step{.at = after - began_,
                    .steps = report->steps,
                    .work = report->work,
                    .errors = report->errors,
                    .last_error = report->last_error,
                    .loss = report->loss,
                    .updated = report->updated,
                    .latencies_ns = report->latencies_ns,
                    .memory = device_.Memory(),
                    .shape_key = report->shape_key,
                    .quiescent = report->quiescent,
                    .aside = report->aside,
                    .checks = ChecksOf(*report),
                    .block = BlockOf(*report)};
  if (report->latencies_ns.empty() && report->errors == 0 && !step.block) step.latencies_ns = whole;
  const bool first = measured.steps() == 0;
  measured.Add(step);
  recorder_.heartbeat().Steps(report->steps);
  epoch_steps_ += report->steps;
  last_loss_ = report->loss.value_or(0);
  epoch_loss_ += last_loss_;
  if (report->epoch_finished) EndEpoch(after);
  SampleProcess(after);
  if (first) recorder_.Publish();
  recorder_.PublishIfDue(after);
  return !(check_finite_ && measured.non_finite_step());
}

void Soak::EndEpoch(BootTime now) {
  Measurements& measured = *recorder_.measurements();
  measured.AddEpoch({measured.epochs_finished() + 1, epoch_steps_, now - epoch_began_,
                     epoch_loss_ / static_cast<double>(std::max<std::int64_t>(1, epoch_steps_)),
                     last_loss_, device_.Memory().peak});
  device_.ResetPeak();
  epoch_began_ = now;
  epoch_steps_ = 0;
  epoch_loss_ = 0;
}

void Soak::SampleProcess(BootTime now) {
  const nanoseconds at = now - began_;
  if (at < sample_due_) return;
  recorder_.measurements()->AddProcess(at, ReadProcessUse());
  sample_due_ = NextSample(at, ++samples_);
}

}  // namespace torchsoak::runner
