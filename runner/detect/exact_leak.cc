#include "runner/detect/exact_leak.h"

#include <algorithm>

#include "common/base/units.h"
#include "runner/detect/leak_rank.h"

namespace torchsoak::runner {
namespace {

using contract::LeakResult;

constexpr int kRisesAfterClean = 3;
constexpr int kRisesWithoutSteady = 6;

std::string PerStep(double objects, double bytes) {
  std::string text;
  if (objects > 0)
    text = FormatValue(objects, Unit::kNone) + (objects == 1 ? " object, " : " objects, ");
  return text + FormatValue(bytes, Unit::kBytes) + " a step";
}

ExactLeak::Finding Make(LeakResult result, std::string explanation) {
  ExactLeak::Finding finding;
  finding.leak.name = "LiveAllocations";
  finding.leak.result = result;
  finding.explanation = std::move(explanation);
  return finding;
}

}  // namespace

const LiveSample& ExactLeak::Track::At(int back) const {
  const auto size = static_cast<std::int64_t>(ring_.size());
  return ring_[static_cast<std::size_t>((count_ - 1 - back) % size)];
}

ExactLeak::Rate ExactLeak::Track::Change(int back) const {
  const LiveSample& after = At(back);
  const LiveSample& before = At(back + 1);
  return {{after.objects - before.objects, after.bytes - before.bytes},
          std::max<std::int64_t>(1, after.step - before.step)};
}

int ExactLeak::Track::Period() const {
  // Compared per step passed, so that an epoch's odd batch in between does not look like a change.
  const auto same = [](const Rate& a, const Rate& b) {
    return a.sum.objects * b.steps == b.sum.objects * a.steps &&
           a.sum.bytes * b.steps == b.sum.bytes * a.steps;
  };
  for (int period = 1; period <= kMaxPeriod && count_ > kWindow + period; ++period) {
    int back = 0;
    while (back < kWindow && same(Change(back), Change(back + period))) ++back;
    if (back == kWindow) return period;
  }
  return 0;
}

void ExactLeak::Track::UpdateSteady() {
  const int period = Period();
  if (period == 0) return;
  Rate total{{0, 0}, 0};
  for (int back = 0; back < period; ++back) {
    const Rate change = Change(back);
    total.sum.objects += change.sum.objects;
    total.sum.bytes += change.sum.bytes;
    total.steps += change.steps;
  }
  if (total.sum.objects > 0 || total.sum.bytes > 0) {
    rate_ = total;
    if (steady_ != Steady::kGrowing) growing_from_ = At(kWindow + period - 1).step;
    steady_ = Steady::kGrowing;
  } else if (total.sum.objects == 0 && total.sum.bytes == 0) {
    if (steady_ == Steady::kNever) {  // growth before this was warming up
      have_floor_ = false;
      in_block_ = 0;
    }
    if (steady_ == Steady::kGrowing) growth_ended_ = true;
    steady_ = Steady::kClean;
  }
}

void ExactLeak::Track::NoteRise(std::int64_t step) {
  const std::int64_t previous = last_rise_ >= 0 ? last_rise_ : floor_since_;
  longest_gap_ = std::max(longest_gap_, step - previous);
  if (first_rise_ < 0) first_rise_ = step;
  last_rise_ = step;
  ++rises_;
}

void ExactLeak::Track::UpdateFloor(const LiveSample& sample) {
  if (in_block_ == 0) {
    block_floor_ = {sample.objects, sample.bytes};
    block_start_ = sample.step;
  }
  block_floor_.objects = std::min(block_floor_.objects, sample.objects);
  block_floor_.bytes = std::min(block_floor_.bytes, sample.bytes);
  if (++in_block_ < kWindow) return;
  in_block_ = 0;
  if (!have_floor_) {
    have_floor_ = true;
    first_floor_ = highest_floor_ = block_floor_;
    floor_since_ = block_start_;
    rises_ = longest_gap_ = 0;
    first_rise_ = last_rise_ = -1;
    return;
  }
  if (block_floor_.objects > highest_floor_.objects || block_floor_.bytes > highest_floor_.bytes) {
    NoteRise(block_start_);
  }
  highest_floor_.objects = std::max(highest_floor_.objects, block_floor_.objects);
  highest_floor_.bytes = std::max(highest_floor_.bytes, block_floor_.bytes);
}

void ExactLeak::Track::Observe(const LiveSample& sample) {
  ring_[static_cast<std::size_t>(count_ % static_cast<std::int64_t>(ring_.size()))] = sample;
  ++count_;
  UpdateSteady();
  UpdateFloor(sample);
}

bool ExactLeak::Track::RiseIsRecent() const {
  return last_rise_ >= 0 && At(0).step - last_rise_ <= 2 * longest_gap_;
}

ExactLeak::Finding ExactLeak::Track::Growth(const Rate& rate, std::int64_t from,
                                            const char* how) const {
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, rate.steps));
  Finding finding = Make(LeakResult::kFound, "");
  finding.leak.objects_per_step = static_cast<double>(rate.sum.objects) / steps;
  finding.leak.bytes_per_step = static_cast<double>(rate.sum.bytes) / steps;
  finding.leak.first_step = from;
  finding.explanation = "live allocations grow " + std::string(how) + " by " +
                        PerStep(finding.leak.objects_per_step, finding.leak.bytes_per_step) +
                        " from step " + std::to_string(from);
  finding.born = Birthplace();
  if (finding.born) {
    finding.explanation += ", allocated in the step's part " + std::string(ToString(*finding.born));
  }
  return finding;
}

std::optional<StepPart> ExactLeak::Track::Birthplace() const {
  const auto kept = static_cast<int>(std::min<std::int64_t>(count_, std::ssize(ring_)));
  const LiveSample& last = At(0);
  const LiveSample& first = At(kept - 1);
  std::size_t most = 0;
  for (std::size_t i = 1; i < kStepParts; ++i) {
    if (last.born[i] - first.born[i] > last.born[most] - first.born[most]) most = i;
  }
  if (last.born[most] <= first.born[most]) return std::nullopt;
  const auto part = static_cast<StepPart>(most);
  return part == StepPart::kOther ? std::nullopt : std::optional(part);
}

ExactLeak::Finding ExactLeak::Track::Conclude() const {
  if (steady_ == Steady::kGrowing) return Growth(rate_, growing_from_, "steadily");
  const bool clean = steady_ == Steady::kClean;
  if (rises_ >= (clean ? kRisesAfterClean : kRisesWithoutSteady) && RiseIsRecent()) {
    const Rate rise{
        {highest_floor_.objects - first_floor_.objects, highest_floor_.bytes - first_floor_.bytes},
        last_rise_ - floor_since_};
    return Growth(rise, first_rise_, "again and again,");
  }
  if (!clean) {
    return Make(LeakResult::kNotEnoughData, "live allocations reached no steady state in " +
                                                std::to_string(count_) +
                                                " steps of the same shapes");
  }
  if (rises_ > 0 || growth_ended_) {
    Finding finding = Make(LeakResult::kSuspected, "live allocations grew and then stayed");
    finding.leak.first_step = first_rise_ >= 0 ? first_rise_ : growing_from_;
    return finding;
  }
  return Make(LeakResult::kNone, "live allocations stay the same, step after step");
}

void ExactLeak::Observe(const LiveSample& sample) {
  ++samples_;
  if (!tracks_.contains(sample.key) && tracks_.size() >= kMaxKeys) {
    too_many_shapes_ = true;
    return;
  }
  tracks_[sample.key].Observe(sample);
}

ExactLeak::Finding ExactLeak::Conclude() const {
  if (samples_ == 0) return Make(LeakResult::kNotEnoughData, "no step was measured");
  Finding best = Make(LeakResult::kNotEnoughData, "");
  std::int64_t occurrences = -1;
  for (const auto& [key, track] : tracks_) {
    const Finding finding = track.Conclude();
    const int better = RankOf(finding.leak.result) - RankOf(best.leak.result);
    if (better > 0 || (better == 0 && track.count() > occurrences)) {
      best = finding;
      occurrences = track.count();
    }
  }
  if (too_many_shapes_ && best.leak.result != LeakResult::kFound) {
    return Make(LeakResult::kNotEnoughData,
                "more than " + std::to_string(kMaxKeys) + " different shapes");
  }
  return best;
}

}  // namespace torchsoak::runner
