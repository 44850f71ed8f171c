#pragma once
// Exact leak test: at quiescent points (a step is over, its outputs dropped, the device idle) the
// number of live allocations is a small integer that a healthy program repeats to the byte.
//
// Samples are compared within a shape key, because the last, smaller batch of an epoch may leave
// other buffers behind. Steady state = the change from one occurrence of a key to the next, per
// step passed, is periodic with a period of at most 20 over 20 occurrences. A sum of zero over the
// period is clean; more is a leak from the step at which that steady state began.
//
// Beside it, for growth that is rarer than every 20 steps: the floor of live allocations over
// blocks of 20 occurrences. Three new highest floors after a clean steady state, the last of them
// recent, are a leak; one or two are growth that stopped (a cache, a new workspace): suspected.
//
// Pure: no clock, no allocator, no threads. About 1 KiB a key, at most 32 keys.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/contract/result.h"
#include "runner/device/step_part.h"

namespace torchsoak::runner {

struct LiveSample {
  std::int64_t step = 0;     ///< rising, from 0
  std::int64_t key = 0;      ///< the same for steps of the same shapes
  std::int64_t objects = 0;  ///< live allocations
  std::int64_t bytes = 0;    ///< bytes asked for by them
  Birthplaces born{};        ///< live allocations by the part of a step that made them
};

class ExactLeak {
 public:
  void Observe(const LiveSample& sample);

  struct Finding {
    contract::Leak leak;           ///< named "LiveAllocations"
    std::string explanation;       ///< one sentence; also says why nothing could be concluded
    std::optional<StepPart> born;  ///< of a leak: where most of what stayed was allocated
  };
  Finding Conclude() const;

  std::int64_t samples() const { return samples_; }

 private:
  static constexpr int kWindow = 20;     ///< occurrences that must agree
  static constexpr int kMaxPeriod = 20;  ///< longest period
  static constexpr std::size_t kMaxKeys = 32;

  struct Level {
    std::int64_t objects = 0;
    std::int64_t bytes = 0;
  };
  struct Rate {
    Level sum;  ///< over `steps`
    std::int64_t steps = 1;
  };

  /// What is known about one shape key.
  class Track {
   public:
    void Observe(const LiveSample& sample);
    Finding Conclude() const;
    std::int64_t count() const { return count_; }

   private:
    enum class Steady { kNever, kClean, kGrowing };

    /// Change between occurrence `back` ago and the one before it, with the steps between them.
    Rate Change(int back) const;
    const LiveSample& At(int back) const;
    /// The shortest period that holds, or 0.
    int Period() const;
    void UpdateSteady();
    void UpdateFloor(const LiveSample& sample);
    void NoteRise(std::int64_t step);
    bool RiseIsRecent() const;
    Finding Growth(const Rate& rate, std::int64_t from, const char* how) const;
    /// The part whose live allocations grew most in the ring; nothing when none did.
    std::optional<StepPart> Birthplace() const;

    std::array<LiveSample, kWindow + kMaxPeriod + 1> ring_{};
    std::int64_t count_ = 0;

    Steady steady_ = Steady::kNever;
    Rate rate_;                       ///< of the latest growing steady state
    std::int64_t growing_from_ = -1;  ///< first step of it
    bool growth_ended_ = false;       ///< it grew steadily once and then became clean

    Level block_floor_;
    int in_block_ = 0;
    std::int64_t block_start_ = 0;
    bool have_floor_ = false;
    Level first_floor_;
    Level highest_floor_;
    std::int64_t floor_since_ = 0;
    std::int64_t rises_ = 0;
    std::int64_t first_rise_ = -1;
    std::int64_t last_rise_ = -1;
    std::int64_t longest_gap_ = 0;
  };

  std::map<std::int64_t, Track> tracks_;
  std::int64_t samples_ = 0;
  bool too_many_shapes_ = false;
};

}  // namespace torchsoak::runner
