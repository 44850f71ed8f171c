#pragma once
// The one list of modes. What holds for every mode is decided by this table, not by a mode's name:
// a threshold's metric, the headline, the histogram in the report.

#include <span>
#include <string_view>

namespace torchsoak::contract {

enum class Mode { kTraining, kInference, kBenchmark, kGemm, kMemory, kPreflight };

struct ModeInfo {
  Mode mode;
  std::string_view name;       ///< the word of spec.mode
  std::string_view member;     ///< its member of the spec; also the first word of its own metrics
  std::string_view step_time;  ///< metric of one step's time; "" = no steps, over after preflight
  std::string_view rate;       ///< metric of the work done in a second; "" = a step is all there is
  std::string_view headline;   ///< metric whose default statistic sums a run up; "" without steps:
                               ///< then its gates do
};

/// In the order of the enum.
std::span<const ModeInfo> AllModes();

const ModeInfo& InfoOf(Mode mode);

/// nullptr for a word that is no mode of this version.
const ModeInfo* FindMode(std::string_view name);

std::string_view ToString(Mode mode);

/// What the rate counts: "samples" of training.samplesPerSecond; "" without a rate.
std::string_view WorkNoun(Mode mode);

/// Whether a run of this mode makes steps, over and over until a limit.
bool HasSteps(Mode mode);

/// Whether a run of this mode measures this metric: it is the mode's own, or one that every mode
/// with steps measures: memory.allocated, memory.peakAllocated and process.*.
bool Measures(Mode mode, std::string_view metric);

}  // namespace torchsoak::contract
