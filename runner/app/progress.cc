#include "runner/app/progress.h"

#include <algorithm>
#include <cmath>

#include "common/base/units.h"
#include "runner/measure/completion.h"

namespace torchsoak::runner {
namespace {

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Progress ProgressOf(const contract::Spec& spec, const Snapshot& snapshot, std::int64_t step) {
  Progress progress;
  progress.phase = snapshot.phase;
  progress.step = step;
  if (!snapshot.measuring()) return progress;
  const Measurements& measured = *snapshot.measured;
  progress.fraction = Completion(spec, measured);
  const double elapsed = Seconds(measured.elapsed());
  if (progress.fraction && *progress.fraction > 0) {
    progress.eta_seconds = elapsed / *progress.fraction - elapsed;
  }
  if (measured.work() > 0) {
    progress.rate = measured.windows().Mean();
    progress.rate_metric = contract::InfoOf(spec.mode).rate;
  }
  if (measured.loss().count() > 0) progress.loss = measured.loss().last();
  if (spec.mode == contract::Mode::kTraining) progress.epoch = measured.epochs_finished() + 1;
  if (measured.peak() > 0) {
    progress.memory = static_cast<std::int64_t>(measured.memory().last());
    progress.peak = measured.peak();
  }
  return progress;
}

std::string ProgressText(const contract::Spec& spec, const Progress& progress) {
  std::string text(ToString(progress.phase));
  if (progress.fraction) text += "  " + std::to_string(std::lround(*progress.fraction * 100)) + "%";
  if (progress.epoch) {
    std::int64_t epoch = *progress.epoch;
    if (spec.training.epochs) epoch = std::min(epoch, *spec.training.epochs);
    text += "  epoch " + std::to_string(epoch);
    if (spec.training.epochs) text += "/" + std::to_string(*spec.training.epochs);
  }
  if (progress.step > 0) text += "  step " + std::to_string(progress.step);
  if (progress.loss) text += "  loss " + FormatValue(*progress.loss, Unit::kNone);
  if (progress.rate) {
    const contract::MetricInfo* rate = contract::FindMetric(progress.rate_metric);
    text += "  " + FormatValue(*progress.rate, rate != nullptr ? rate->unit : Unit::kPerSecond);
  }
  if (progress.memory && progress.peak) {
    text += "  memory " + FormatValue(static_cast<double>(*progress.memory), Unit::kBytes) +
            " (peak " + FormatValue(static_cast<double>(*progress.peak), Unit::kBytes) + ")";
  }
  if (progress.eta_seconds) text += "  eta " + FormatValue(*progress.eta_seconds, Unit::kSeconds);
  return text;
}

Json ProgressJson(const Progress& progress) {
  Json json = {{"phase", ToString(progress.phase)}, {"step", progress.step}};
  const auto add = [&](std::string_view key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) json[std::string(key)] = *value;
  };
  if (progress.fraction) json["percent"] = std::lround(*progress.fraction * 100);
  add("etaSeconds", progress.eta_seconds);
  add(progress.rate_metric.substr(progress.rate_metric.find('.') + 1), progress.rate);
  add("loss", progress.loss);
  if (progress.epoch) json["epoch"] = *progress.epoch;
  if (progress.memory) json["memoryAllocated"] = *progress.memory;
  if (progress.peak) json["memoryPeak"] = *progress.peak;
  return json;
}

}  // namespace torchsoak::runner
