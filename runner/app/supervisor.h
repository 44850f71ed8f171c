#pragma once
// The thread that watches the measuring thread: checkpoints, progress, stops, and the partial
// result when nothing else is left.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "common/base/clock.h"
#include "runner/app/board.h"
#include "runner/app/heartbeat.h"
#include "runner/watch/watchdog.h"

namespace torchsoak::runner {

class Supervisor {
 public:
  /// All run on the supervisor's thread.
  struct Actions {
    std::function<void(const Snapshot&)> checkpoint;
    std::function<void(const Snapshot&, std::int64_t step)> progress;
    /// Writes the partial result and ends the process; in tests it returns.
    std::function<void(const Snapshot&, const End&)> flush;
  };
  struct Settings {
    Watchdog::Limits limits;
    std::chrono::nanoseconds tick = std::chrono::milliseconds(100);
    std::chrono::nanoseconds checkpoint_every = std::chrono::seconds(10);
    std::chrono::nanoseconds progress_every = std::chrono::seconds(10);
  };
  /// `stops` says how many SIGTERM and SIGINT have come.
  Supervisor(Clock& clock, const Board& board, const Heartbeat& heartbeat,
             std::function<int()> stops, Settings settings, Actions actions);
  ~Supervisor();

  /// Tells the measuring thread to stop at the next step boundary.
  const std::atomic<bool>& stop() const { return stop_; }

  /// The measuring thread is done and will write the result itself. Nothing when the supervisor
  /// was faster: then it has flushed, and the caller must not write. Joins the thread.
  std::optional<End> TakeOver();

 private:
  void Loop(std::stop_token token);
  void Tick();

  Clock& clock_;
  const Board& board_;
  const Heartbeat& heartbeat_;
  std::function<int()> stops_;
  Settings settings_;
  Actions actions_;

  std::atomic<bool> stop_{false};
  std::atomic<End::Cause> cause_{End::Cause::kDone};
  std::atomic<bool> taken_{false};  ///< who writes the result: exchanged once

  // The thread's own:
  Watchdog watchdog_;
  std::shared_ptr<const Snapshot> latest_;
  std::optional<BootTime> checkpoint_at_;
  BootTime progress_at_;
  bool measuring_ = false;

  std::jthread thread_;  ///< last: it uses everything above
};

}  // namespace torchsoak::runner
