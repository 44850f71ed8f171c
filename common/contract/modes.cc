#include "common/contract/modes.h"

#include <algorithm>
#include <array>

namespace torchsoak::contract {
namespace {

constexpr std::array kModes = {
    ModeInfo{Mode::kTraining, "Training", "training", "training.stepTime",
             "training.samplesPerSecond", "training.samplesPerSecond"},
    ModeInfo{Mode::kInference, "Inference", "inference", "inference.latency",
             "inference.samplesPerSecond", "inference.samplesPerSecond"},
    ModeInfo{Mode::kBenchmark, "Benchmark", "benchmark", "benchmark.stepTime",
             "benchmark.samplesPerSecond", "benchmark.stepTime"},
    ModeInfo{Mode::kGemm, "Gemm", "gemm", "gemm.stepTime", "gemm.flopsPerSecond",
             "gemm.flopsPerSecond"},
    ModeInfo{Mode::kMemory, "Memory", "memory", "memory.stepTime", "memory.bytesPerSecond",
             "memory.bytesPerSecond"},
    ModeInfo{Mode::kPreflight, "Preflight", "preflight", "", "", ""},
};

constexpr std::array<std::string_view, 2> kCommon = {"memory.allocated", "memory.peakAllocated"};

}  // namespace

std::span<const ModeInfo> AllModes() { return kModes; }

const ModeInfo& InfoOf(Mode mode) { return kModes.at(static_cast<std::size_t>(mode)); }

const ModeInfo* FindMode(std::string_view name) {
  const auto* it = std::ranges::find(kModes, name, &ModeInfo::name);
  return it == kModes.end() ? nullptr : it;
}

std::string_view ToString(Mode mode) { return InfoOf(mode).name; }

std::string_view WorkNoun(Mode mode) {
  constexpr std::string_view kEnd = "PerSecond";
  const ModeInfo& info = InfoOf(mode);
  if (info.rate.empty()) return "";
  const std::string_view word = info.rate.substr(info.member.size() + 1);
  return word.substr(0, word.size() - kEnd.size());
}

bool HasSteps(Mode mode) { return !InfoOf(mode).step_time.empty(); }

bool Measures(Mode mode, std::string_view metric) {
  const std::string_view family = metric.substr(0, metric.find('.'));
  if (family == "process" || std::ranges::find(kCommon, metric) != kCommon.end()) {
    return HasSteps(mode);
  }
  return family == InfoOf(mode).member;
}

}  // namespace torchsoak::contract
