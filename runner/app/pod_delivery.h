#pragma once
// A run in a pod: the termination message is the truth, the log carries progress and the report.

#include <optional>

#include "common/base/clock.h"
#include "runner/app/delivery.h"
#include "runner/report/termination_log.h"

namespace torchsoak::runner {

class PodDelivery final : public Delivery {
 public:
  /// Without a termination log (it could not be opened) only the log is written.
  PodDelivery(int out, const Clock& clock, std::optional<TerminationLog> log);

  void Checkpoint(const contract::RunResult& result) override;
  void Show(const contract::Spec& spec, const Progress& progress) override;
  std::chrono::nanoseconds ProgressEvery() const override { return std::chrono::seconds(10); }

  /// Frames, then the final message: a message that refers to a report is the proof that the report
  /// was written before it.
  void Finish(contract::RunResult result, const PackedReport* report) override;

 private:
  int out_;
  const Clock& clock_;
  std::optional<TerminationLog> log_;
  std::int64_t asked_ = 0;    ///< calls of Show
  std::int64_t written_ = 0;  ///< lines of them
  std::int64_t stride_ = 1;   ///< one line for so many calls
};

/// One structured log line, without a newline: {"time","level","msg",…fields}.
std::string LogLine(WallTime time, std::string_view level, std::string_view message,
                    const Json& fields);

}  // namespace torchsoak::runner
