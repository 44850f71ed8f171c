#include "runner/workload/inference.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "runner/device/threads.h"
#include "runner/model/model.h"
#include "runner/workload/errors.h"
#include "runner/workload/request_stream.h"
#include "runner/workload/rounds.h"
#include "runner/workload/seed.h"

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kRoundNanoseconds = 100'000'000;
constexpr std::int64_t kMostPerRound = 10'000;

class Inference final : public Workload {
 public:
  Inference(const contract::Spec& spec, Device& device, std::vector<std::string> names, int threads,
            const Clock& clock)
      : spec_(spec), device_(device), names_(std::move(names)), threads_(threads), clock_(clock) {}

  Json Describe() const override;
  Status Prepare() override;
  void BeginMeasuring() override;
  Expected<StepReport> Step(std::int64_t most_steps) override;

 private:
  std::size_t Streams() const { return static_cast<std::size_t>(spec_.inference.streams); }
  int ThreadsPerStream() const {
    return std::max(1, threads_ / static_cast<int>(spec_.inference.streams));
  }
  void Build();
  /// How many requests each stream makes in a round of at most `most` in all.
  std::vector<std::int64_t> Amounts(std::int64_t most) const;
  StepReport Collect(bool whole_round);
  void AdaptRound(const StepReport& report);

  const contract::Spec spec_;
  Device& device_;
  std::vector<std::string> names_;
  int threads_;
  const Clock& clock_;

  std::vector<std::unique_ptr<Model>> models_;  ///< one per device
  std::vector<std::unique_ptr<RequestStream>> streams_;
  std::unique_ptr<Rounds> rounds_;  ///< nothing for one stream
  std::int64_t per_round_ = 1;      ///< requests of a stream
  bool adapting_ = true;
  std::int64_t out_of_memory_ = 0;
};

Json Inference::Describe() const {
  Json json = {{"kind", "Inference"},
               {"model", contract::ToString(spec_.inference.model.kind)},
               {"devices", names_},
               {"streams", spec_.inference.streams},
               {"threadsPerStream", ThreadsPerStream()},
               {"loop", "closed"},
               {"latencyIncludes", "forward, device wait; the input is on the device"}};
  if (!models_.empty()) json["parameters"] = CountParameters(*models_.front());
  if (out_of_memory_ > 0) json["outOfMemory"] = out_of_memory_;
  return json;
}

void Inference::Build() {
  SeedEverything(spec_.seed);
  for (const std::string& name : names_) {
    models_.push_back(MakeModel(spec_.inference.model, spec_.inference.precision, name,
                                spec_.inference.batch_size));
    models_.back()->SetTraining(false);
  }
  for (std::size_t i = 0; i < Streams(); ++i) {
    const std::size_t place = i % names_.size();
    streams_.push_back(std::make_unique<RequestStream>(spec_.inference, *models_[place],
                                                       names_[place], spec_.seed + i, clock_));
  }
  device_.Synchronize();
}

Status Inference::Prepare() {
  try {
    Build();
  } catch (const std::exception& e) {
    return tl::unexpected<Error>(ErrorFrom(e));
  }
  if (Streams() == 1) return {};
  rounds_ = std::make_unique<Rounds>(Streams(), [this](std::size_t i, std::int64_t requests) {
    SetComputeThreads(ThreadsPerStream());
    streams_[i]->Run(requests);
  });
  // Find the length of a round before it counts: the leak test wants rounds of equal length.
  for (int i = 0; i < 3; ++i) {
    rounds_->Run(Amounts(per_round_ * spec_.inference.streams));
    AdaptRound(Collect(true));
  }
  return {};
}

void Inference::BeginMeasuring() { adapting_ = false; }

std::vector<std::int64_t> Inference::Amounts(std::int64_t most) const {
  const std::int64_t streams = spec_.inference.streams;
  std::vector<std::int64_t> amounts(Streams(), per_round_);
  if (most >= per_round_ * streams) return amounts;
  for (std::int64_t i = 0; i < streams; ++i) {
    amounts[static_cast<std::size_t>(i)] = most / streams + (i < most % streams ? 1 : 0);
  }
  return amounts;
}

void Inference::AdaptRound(const StepReport& report) {
  if (!adapting_ || report.latencies_ns.empty()) return;
  std::int64_t sum = 0;
  for (const std::int64_t latency : report.latencies_ns) sum += latency;
  const std::int64_t mean =
      std::max<std::int64_t>(1, sum / static_cast<std::int64_t>(report.latencies_ns.size()));
  per_round_ = std::clamp<std::int64_t>(kRoundNanoseconds / mean, 1, kMostPerRound);
}

StepReport Inference::Collect(bool whole_round) {
  StepReport report;
  for (const auto& stream : streams_) {
    RequestStream::Tally tally = stream->Take();
    report.errors += tally.errors;
    out_of_memory_ += tally.out_of_memory;
    if (!tally.last_error.empty()) report.last_error = std::move(tally.last_error);
    if (report.latencies_ns.empty()) {
      report.latencies_ns = std::move(tally.latencies_ns);
    } else {
      report.latencies_ns.insert(report.latencies_ns.end(), tally.latencies_ns.begin(),
                                 tally.latencies_ns.end());
    }
  }
  const auto answered = static_cast<std::int64_t>(report.latencies_ns.size());
  report.steps = answered + report.errors;
  report.work = static_cast<double>(answered * spec_.inference.batch_size);
  report.quiescent = whole_round;
  return report;
}

Expected<StepReport> Inference::Step(std::int64_t most_steps) {
  if (rounds_ == nullptr) {
    streams_.front()->Run(1);
    return Collect(true);
  }
  const std::vector<std::int64_t> amounts = Amounts(most_steps);
  rounds_->Run(amounts);
  return Collect(amounts.back() == per_round_);
}

}  // namespace

std::unique_ptr<Workload> MakeInference(const contract::Spec& spec, Device& device,
                                        std::vector<std::string> device_names, int threads,
                                        const Clock& clock) {
  return std::make_unique<Inference>(spec, device, std::move(device_names), threads, clock);
}

}  // namespace torchsoak::runner
