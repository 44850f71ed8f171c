#include "runner/measure/completion.h"

#include <algorithm>
#include <chrono>

namespace torchsoak::runner {

std::optional<double> Completion(const contract::Spec& spec, const Measurements& measured) {
  const auto seconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  std::optional<double> share;
  const auto consider = [&](double done, double all) {
    if (all > 0) share = std::max(share.value_or(0), std::min(1.0, done / all));
  };
  if (spec.mode == contract::Mode::kBenchmark) {
    const contract::TimerSpec& timer = spec.benchmark.timer;
    if (const auto most = timer.MostTime()) {
      consider(seconds(measured.elapsed()), seconds(*most));
    } else {
      consider(static_cast<double>(measured.steps()), static_cast<double>(timer.number));
    }
  }
  if (spec.duration) consider(seconds(measured.elapsed()), seconds(*spec.duration));
  if (spec.max_iterations) {
    consider(static_cast<double>(measured.steps()), static_cast<double>(*spec.max_iterations));
  }
  if (spec.training.epochs) {
    const auto all = static_cast<double>(*spec.training.epochs * spec.training.samples_per_epoch);
    consider(measured.work(), all);
  }
  return share;
}

}  // namespace torchsoak::runner
