#include "runner/measure/measurements.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace torchsoak::runner {

using contract::MetricValue;
using contract::Statistic;
using std::chrono::nanoseconds;

namespace {

constexpr std::size_t kMaxEpochs = 400;
constexpr std::size_t kMaxTrace = 512;
constexpr std::size_t kMaxLossTrace = 1000;
constexpr std::size_t kTrendWindow = 20;
constexpr double kNanosecond = 1e-9;

double Seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

template <typename Values>
double MeanOf(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> FromSeries(const Series& series, Statistic statistic) {
  if (series.count() == 0) return std::nullopt;
  switch (statistic) {
    case Statistic::kLast:
      return series.last();
    case Statistic::kMin:
      return series.min();
    case Statistic::kMax:
      return series.max();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> QuantileOf(Statistic statistic) {
  switch (statistic) {
    case Statistic::kP10:
      return 0.1;
    case Statistic::kP50:
      return 0.5;
    case Statistic::kP90:
      return 0.9;
    case Statistic::kP95:
      return 0.95;
    case Statistic::kP99:
      return 0.99;
    case Statistic::kP999:
      return 0.999;
    default:
      return std::nullopt;
  }
}

Measurements::Measurements(contract::Mode mode) : mode_(mode) {}

void Measurements::AddLoss(double loss) {
  ++losses_;
  if (first_losses_.size() < kTrendWindow) first_losses_.push_back(loss);
  latest_losses_.push_back(loss);
  if (latest_losses_.size() > kTrendWindow) latest_losses_.pop_front();
}

void Measurements::AddToLossTrace(double loss) {
  if (loss_trace_.size() < kMaxLossTrace) loss_trace_.push_back(loss);
}

void Measurements::AddWarmupLoss(double loss) {
  AddToLossTrace(loss);
  if (std::isfinite(loss)) AddLoss(loss);
}

void Measurements::AddUpdate(bool updated) {
  ++skipped_updates_.possible;
  skipped_in_row_ = updated ? 0 : skipped_in_row_ + 1;
  skipped_updates_.skipped += updated ? 0 : 1;
  skipped_updates_.longest = std::max(skipped_updates_.longest, skipped_in_row_);
}

void Measurements::AddChecks(const Checks& checks) {
  if (checks_.wrong == 0 && !checks.detail.empty()) checks_.detail = checks.detail;
  checks_.results += checks.results;
  checks_.wrong += checks.wrong;
  checks_.unchecked += checks.unchecked;
  checks_.covered = checks.covered;
}

void Measurements::AddTrace(const MeasuredStep& step) {
  if (steps_ % trace_stride_ != 0) return;
  if (trace_.size() >= kMaxTrace) {
    trace_stride_ *= 2;
    std::erase_if(trace_, [&](const TraceRow& row) { return row.step % trace_stride_ != 0; });
    if (steps_ % trace_stride_ != 0) return;
  }
  const bool finite = step.loss && std::isfinite(*step.loss);
  trace_.push_back(
      {steps_, finite ? step.loss : std::nullopt, step.memory.allocated, step.memory.peak});
}

void Measurements::Add(const MeasuredStep& step) {
  const std::int64_t before = steps_;
  steps_ += step.steps;
  errors_ += step.errors;
  if (!step.last_error.empty()) last_error_ = step.last_error;
  elapsed_ = step.at;
  windows_.Add(step.work, step.at, step.aside);
  for (const std::int64_t latency : step.latencies_ns) latency_.Record(latency);
  if (step.block) {
    blocks_.Add(step.steps, *step.block);
    latency_.Record(step.block->time.count() / std::max<std::int64_t>(1, step.steps));
  }
  memory_.Add(Seconds(step.at), static_cast<double>(step.memory.allocated));
  last_peak_ = step.memory.peak;
  peak_ = std::max(peak_, step.memory.peak);
  if (step.quiescent) {
    leak_.Observe(
        {before, step.shape_key, step.memory.objects, step.memory.requested, step.memory.born});
  }
  if (step.loss) {
    AddToLossTrace(*step.loss);
    loss_.Add(static_cast<double>(steps_), *step.loss);
    last_loss_finite_ = std::isfinite(*step.loss);
    if (last_loss_finite_) {
      AddLoss(*step.loss);
    } else if (!non_finite_step_) {
      non_finite_step_ = before;
    }
  }
  if (step.updated) AddUpdate(*step.updated);
  AddChecks(step.checks);
  AddTrace(step);
}

void Measurements::AddEpoch(const Epoch& epoch) {
  const double seconds = Seconds(epoch.duration);
  epoch_min_ = epochs_finished_ == 0 ? seconds : std::min(epoch_min_, seconds);
  epoch_max_ = epochs_finished_ == 0 ? seconds : std::max(epoch_max_, seconds);
  epoch_seconds_ += seconds;
  ++epochs_finished_;
  epochs_.push_back(epoch);
  if (epochs_.size() > kMaxEpochs) epochs_.pop_front();
}

std::optional<Measurements::LossTrend> Measurements::Trend() const {
  if (losses_ < kLossSteps) return std::nullopt;
  return LossTrend{MeanOf(first_losses_), MeanOf(latest_losses_)};
}

std::optional<double> Measurements::Latency(Statistic statistic) const {
  if (latency_.count() == 0) return std::nullopt;
  if (const auto quantile = QuantileOf(statistic)) {
    return static_cast<double>(latency_.ValueAt(*quantile)) * kNanosecond;
  }
  switch (statistic) {
    case Statistic::kMean:
      return latency_.Mean() * kNanosecond;
    case Statistic::kMin:
      return static_cast<double>(latency_.min()) * kNanosecond;
    case Statistic::kMax:
      return static_cast<double>(latency_.max()) * kNanosecond;
    case Statistic::kStdDev:
      return latency_.StdDev() * kNanosecond;
    default:
      return std::nullopt;
  }
}

std::optional<double> Measurements::Rate(Statistic statistic) const {
  if (work() == 0 && errors_ == 0) return std::nullopt;  // a mode that has none, not a slow one
  if (const auto share = QuantileOf(statistic)) return windows_.Quantile(*share);
  switch (statistic) {
    case Statistic::kMean:
      return windows_.Mean();
    case Statistic::kMin:
      return windows_.Min();
    default:
      return std::nullopt;
  }
}

std::optional<double> Measurements::EpochTime(Statistic statistic) const {
  if (epochs_finished_ == 0) return std::nullopt;
  switch (statistic) {
    case Statistic::kMean:
      return epoch_seconds_ / static_cast<double>(epochs_finished_);
    case Statistic::kMin:
      return epoch_min_;
    case Statistic::kMax:
      return epoch_max_;
    case Statistic::kLast:
      return Seconds(epochs_.back().duration);
    default:
      return std::nullopt;
  }
}

std::optional<double> Measurements::Peak(Statistic statistic) const {
  if (steps_ == 0) return std::nullopt;
  if (statistic == Statistic::kMax) return static_cast<double>(peak_);
  if (statistic == Statistic::kLast) return static_cast<double>(last_peak_);
  return std::nullopt;
}

MetricValue Measurements::Make(std::string_view metric, Statistic statistic,
                               std::optional<double> value, std::int64_t samples) const {
  if (value && !std::isfinite(*value)) value.reset();
  return {std::string(metric), statistic, value, samples};
}

MetricValue Measurements::Value(std::string_view metric, Statistic statistic) const {
  if (!contract::Measures(mode_, metric)) return Make(metric, statistic, std::nullopt, 0);
  if (metric == contract::InfoOf(mode_).step_time) {
    return Make(metric, statistic, Latency(statistic), latency_.count());
  }
  if (metric == contract::InfoOf(mode_).rate) {
    const auto windows = static_cast<std::int64_t>(windows_.Windows().size());
    return Make(metric, statistic, Rate(statistic),
                statistic == Statistic::kMean ? steps_ : windows);
  }
  if (metric.ends_with(".loss")) {
    // NaN is no number that could be least or latest: where it took part there is no value.
    const bool spoilt = statistic == Statistic::kLast ? !last_loss_finite_ : loss_.left_out() > 0;
    return Make(metric, statistic, spoilt ? std::nullopt : FromSeries(loss_, statistic),
                loss_.count());
  }
  if (metric.ends_with(".epochTime")) {
    return Make(metric, statistic, EpochTime(statistic), epochs_finished_);
  }
  if (metric == "memory.allocated") {
    return Make(metric, statistic, FromSeries(memory_, statistic), memory_.count());
  }
  if (metric == "memory.peakAllocated") return Make(metric, statistic, Peak(statistic), steps_);
  if (const Streams::Stream* stream = streams_.Find(metric)) {
    return Make(metric, statistic, FromSeries(stream->series, statistic), stream->series.count());
  }
  if (metric.ends_with(".errorRate") && steps_ > 0) {
    return Make(metric, statistic, static_cast<double>(errors_) / static_cast<double>(steps_),
                steps_);
  }
  return Make(metric, statistic, std::nullopt, 0);
}

std::vector<MetricValue> Measurements::Metrics() const {
  std::vector<MetricValue> values;
  for (const contract::MetricInfo& info : contract::AllMetrics()) {
    if (!contract::Measures(mode_, info.name)) continue;
    for (const Statistic statistic : info.statistics) values.push_back(Value(info.name, statistic));
  }
  return values;
}

}  // namespace torchsoak::runner
