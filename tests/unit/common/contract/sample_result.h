#pragma once
// A run's answer as tests use it, and equality of what travels.

#include <cmath>
#include <limits>
#include <string>

#include "common/contract/histogram.h"
#include "common/contract/result.h"

namespace torchsoak::contract {

inline RunResult SampleResult() {
  RunResult out;
  out.core.uid = "8f5a0c1e-7f0d-4c58-9d8e-0b1d5f6a7c81";
  out.core.run = 3;
  out.core.attempt = 2;
  out.core.state = ResultState::kFinal;
  out.core.measuring = true;
  out.core.steps = 12'345;
  out.core.outcome = Outcome{Verdict::kFailed, Reason::kThresholdBreached,
                             "step-p99: 171.4ms > 130ms on gpu-node-17 (GPU-3f0c)"};
  out.core.exit = 1;
  out.core.report = {7, 51'234, std::string(64, 'a')};
  out.place = {{"GPU-3f0c1b22-0000-1111-2222-333344445555"}, "NVIDIA H200", "2.11.0", "580.65"};
  out.gates = {{"FiniteLoss", GateResult::kPassed, false, "", "", ""},
               {"step-p99", GateResult::kFailed, true, "171.4ms", "<= 130ms", "171.4ms > 130ms"},
               {"rate", GateResult::kNotEvaluated, true, "", ">= 2400/s", "was not measured"}};
  out.metrics = {{"training.stepTime", Statistic::kP99, 0.17138294059999999, 12'345},
                 {"training.loss", Statistic::kLast, 1.0 / 3, 12'345},
                 {"training.epochTime", Statistic::kMean, std::nullopt, 0},
                 {"memory.peakAllocated", Statistic::kMax, 2899102925, 12'345}};
  out.leaks = {{"LiveAllocations", LeakResult::kFound, 1, 4096.5, 57}};
  Histogram histogram;
  for (int i = 1; i < 500; ++i) histogram.Record(130'000'000 + i * 12'345);
  out.histogram = histogram.Pack();
  out.histogram_name = "training.stepTime";
  return out;
}

/// All that the message carries, as one comparable text; doubles bit by bit.
inline std::string Fingerprint(const RunResult& r) {
  std::string out =
      r.core.uid + "|" + std::to_string(r.core.run) + "|" + std::to_string(r.core.attempt) + "|" +
      std::to_string(static_cast<int>(r.core.state)) + "|" + std::to_string(r.core.measuring) +
      "|" + std::to_string(r.core.steps) + "|" + std::to_string(r.core.exit) + "|" +
      std::to_string(r.core.partial) + "|" + std::to_string(r.core.report.frames) + "|" +
      std::to_string(r.core.report.bytes) + "|" + r.core.report.sha256;
  if (r.core.outcome) {
    out += "|" + std::string(ToString(r.core.outcome->verdict)) + "|" +
           std::string(ToString(r.core.outcome->reason)) + "|" + r.core.outcome->message;
  }
  for (const std::string& gpu : r.place.gpus) out += "\n" + gpu;
  out += "\n" + r.place.gpu_model + "|" + r.place.libtorch + "|" + r.place.driver;
  for (const Gate& g : r.gates) {
    out += "\n" + g.name + "|" + std::string(ToString(g.result)) + "|" + std::to_string(g.user) +
           "|" + g.observed + "|" + g.limit + "|" + g.message;
  }
  char number[64];
  for (const MetricValue& m : r.metrics) {
    std::snprintf(number, sizeof number, "%a", m.value.value_or(-1));
    out += "\n" + m.name + "|" + std::string(ToString(m.statistic)) + "|" +
           std::to_string(m.samples) + "|" + (m.value ? number : "absent");
  }
  for (const Leak& l : r.leaks) {
    std::snprintf(number, sizeof number, "%a %a", l.objects_per_step, l.bytes_per_step);
    out += "\n" + l.name + "|" + std::string(ToString(l.result)) + "|" + number + "|" +
           std::to_string(l.first_step);
  }
  return out + "\n" + r.histogram_name + "|" + r.histogram;
}

}  // namespace torchsoak::contract
