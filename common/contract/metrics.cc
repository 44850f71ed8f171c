#include "common/contract/metrics.h"

#include <algorithm>
#include <array>

namespace torchsoak::contract {
namespace {

using S = Statistic;

constexpr std::array<std::string_view, 11> kStatisticNames = {
    "Mean", "Min", "Max", "P10", "P50", "P90", "P95", "P99", "P999", "StdDev", "Last"};

// The first of each list is the default.
constexpr std::array kTimes = {S::kP50,  S::kP90, S::kP95, S::kP99,   S::kP999,
                               S::kMean, S::kMin, S::kMax, S::kStdDev};
constexpr std::array kEpochTimes = {S::kMean, S::kMin, S::kMax, S::kLast};
constexpr std::array kRates = {S::kMean, S::kMin, S::kP10, S::kP50};
constexpr std::array kSustained = {S::kP10, S::kMean, S::kMin, S::kP50};
constexpr std::array kLosses = {S::kLast, S::kMin, S::kMax};
constexpr std::array kSizes = {S::kMax, S::kLast};
constexpr std::array kRatios = {S::kMean};

constexpr auto kMetrics = std::to_array<MetricInfo>({
    {"benchmark.samplesPerSecond", Unit::kPerSecond, kRates,
     "Samples that went through in a second, over windows of 1 s."},
    {"benchmark.stepTime", Unit::kSeconds, kTimes,
     "Time of one run of what spec.benchmark.measure names, as the mean of a block of runs; blocks "
     "are its samples."},
    {"gemm.flopsPerSecond", Unit::kFlopsPerSecond, kSustained,
     "Floating-point operations in a second of multiplying, over windows of 1 s; P10 is what is "
     "sustained."},
    {"gemm.stepTime", Unit::kSeconds, kTimes,
     "Time of one product, on all devices at once; its check is not part of it."},
    {"inference.errorRate", Unit::kRatio, kRatios,
     "Share of requests that failed or gave a result that is not finite."},
    {"inference.latency", Unit::kSeconds, kTimes,
     "Time from a request to its answer, device work included."},
    {"inference.samplesPerSecond", Unit::kPerSecond, kRates,
     "Samples answered in a second, over windows of 1 s."},
    {"memory.allocated", Unit::kBytes, kSizes,
     "Memory that live tensors hold: on the GPU, or on the CPU in a CPU run."},
    {"memory.bytesPerSecond", Unit::kBytesPerSecond, kSustained,
     "Bytes read and written in a second of copying, on all devices together, over windows of 1 s; "
     "P10 is what is sustained."},
    {"memory.peakAllocated", Unit::kBytes, kSizes,
     "The most that memory.allocated reached since the epoch, or measuring, began."},
    {"memory.stepTime", Unit::kSeconds, kTimes,
     "Time of copying one slot, on all devices at once; writing and checking are not part of it."},
    {"process.descriptors", Unit::kNone, kSizes, "Open file descriptors of the runner process."},
    {"process.rss", Unit::kBytes, kSizes, "Resident memory of the runner process."},
    {"process.rssAnon", Unit::kBytes, kSizes,
     "Resident memory that is the process's own: without files and shared memory."},
    {"process.threads", Unit::kNone, kSizes, "Threads of the runner process."},
    {"training.epochTime", Unit::kSeconds, kEpochTimes,
     "Time of a whole epoch; epochs that were not finished do not count."},
    {"training.loss", Unit::kNone, kLosses, "Loss of a step."},
    {"training.samplesPerSecond", Unit::kPerSecond, kRates,
     "Samples trained on in a second, over windows of 1 s."},
    {"training.stepTime", Unit::kSeconds, kTimes,
     "Time of one optimizer step: its batches' forward and backward passes and the update."},
});

}  // namespace

std::string_view ToString(Statistic statistic) {
  const auto at = static_cast<std::size_t>(statistic);
  return at < kStatisticNames.size() ? kStatisticNames[at] : "Mean";
}

std::optional<Statistic> ParseStatistic(std::string_view text) {
  const auto* it = std::find(kStatisticNames.begin(), kStatisticNames.end(), text);
  if (it == kStatisticNames.end()) return std::nullopt;
  return static_cast<Statistic>(it - kStatisticNames.begin());
}

std::span<const MetricInfo> AllMetrics() { return kMetrics; }

const MetricInfo* FindMetric(std::string_view name) {
  const auto* it = std::find_if(kMetrics.begin(), kMetrics.end(),
                                [&](const MetricInfo& metric) { return metric.name == name; });
  return it == kMetrics.end() ? nullptr : it;
}

}  // namespace torchsoak::contract
