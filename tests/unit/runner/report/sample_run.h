#pragma once
// A measured training run as the report tests need it.

#include <array>
#include <memory>

#include "runner/report/report_document.h"

namespace torchsoak::runner {

inline contract::Spec TrainingSpec() {
  contract::Spec spec;
  spec.mode = contract::Mode::kTraining;
  spec.gpu.per_pod = 0;
  spec.training.checks = {contract::Check::kFiniteLoss};
  spec.max_iterations = 100;
  spec.timeouts.run = std::chrono::minutes(5);
  spec.timeouts.stall = std::chrono::minutes(1);
  return spec;
}

struct RunShape {
  int steps = 100;
  double loss = 1.0;
  std::int64_t leaked_objects = 0;  ///< a step
};

inline Snapshot MeasuredSnapshot(const RunShape& shape) {
  auto measured = std::make_shared<Measurements>(contract::Mode::kTraining);
  for (int i = 0; i < shape.steps; ++i) {
    const std::array<std::int64_t, 1> latency = {10'000'000};
    MeasuredStep step;
    step.at = std::chrono::milliseconds(10 * (i + 1));
    step.work = 128;
    step.loss = shape.loss;
    step.latencies_ns = latency;
    step.memory = {35 + shape.leaked_objects * i, 1000 + 4 * shape.leaked_objects * i, 2000, 3000};
    measured->Add(step);
  }
  Snapshot snapshot;
  snapshot.phase = Phase::kMeasure;
  snapshot.measured = std::move(measured);
  return snapshot;
}

inline contract::RunSpec SampleRun() {
  contract::RunSpec run;
  run.ns = "ml";
  run.test = "sample";
  run.uid = "0c9b9bd8-0000-4000-8000-000000000001";
  run.spec = {{"mode", "Training"}};
  return run;
}

}  // namespace torchsoak::runner
