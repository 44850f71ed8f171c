#pragma once
// The measuring thread's notebook: what is known so far, and when to pin a copy on the board.
//
// Used by the measuring thread only.

#include <optional>

#include "common/base/clock.h"
#include "runner/app/board.h"
#include "runner/app/heartbeat.h"
#include "runner/measure/measurements.h"
#include "runner/measure/snapshot.h"

namespace torchsoak::runner {

class Recorder {
 public:
  Recorder(const Clock& clock, Heartbeat& heartbeat, Board& board);

  /// Everything but `measured`, which Publish fills in.
  Snapshot& draft() { return draft_; }

  /// Set from StartMeasuring on.
  Measurements* measurements() { return measurements_ ? &*measurements_ : nullptr; }

  /// Ends the phase before, and publishes.
  void Enter(Phase phase);
  void StartMeasuring(contract::Mode mode);

  Heartbeat& heartbeat() { return heartbeat_; }
  const Clock& clock() const { return clock_; }

  void Publish();
  /// Publish when the last time was a second ago: a copy costs about a third of a millisecond.
  void PublishIfDue(BootTime now);

 private:
  const Clock& clock_;
  Heartbeat& heartbeat_;
  Board& board_;
  Snapshot draft_;
  std::optional<Measurements> measurements_;
  BootTime published_{};
};

}  // namespace torchsoak::runner
