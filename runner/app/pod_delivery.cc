#include "runner/app/pod_delivery.h"

#include <utility>

#include "runner/report/output.h"
#include "runner/report/utc.h"

namespace torchsoak::runner {
namespace {

/// Longest wait for whoever reads the log, for the last line and again for the frames. With the
/// watchdog's 5 s they stay below the pod's grace of 30 s, and the final message comes after them.
constexpr std::chrono::seconds kPatience{10};
constexpr std::int64_t kLinesPerStride = 2000;

}  // namespace

std::string LogLine(WallTime time, std::string_view level, std::string_view message,
                    const Json& fields) {
  // Not common/base/log.h: its lock may be held by the thread that hangs, and it waits for readers.
  std::string line = R"({"time":")" + FormatUtc(time) + R"(","level":)" +
                     DumpJson(std::string(level)) + R"(,"msg":)" + DumpJson(std::string(message));
  if (fields.empty()) return line + "}";
  return line + "," + DumpJson(fields).substr(1);
}

PodDelivery::PodDelivery(int out, const Clock& clock, std::optional<TerminationLog> log)
    : out_(out), clock_(clock), log_(std::move(log)) {}

void PodDelivery::Checkpoint(const contract::RunResult& result) {
  if (!log_) return;
  // Failing is no reason to stop measuring; the next one may succeed.
  (void)log_->Write(contract::EncodeResult(result).message);
}

void PodDelivery::Show(const contract::Spec&, const Progress& progress) {
  // Ever rarer: the log of a run of 720 h stays below the contract's 8 MiB.
  if (asked_++ % stride_ != 0) return;
  if (++written_ % kLinesPerStride == 0) stride_ *= 2;
  TryWriteLine(out_, LogLine(clock_.Wall(), "info", "progress", ProgressJson(progress)));
}

void PodDelivery::Finish(contract::RunResult result, const PackedReport* report) {
  if (result.core.outcome) {
    const contract::Outcome& outcome = *result.core.outcome;
    const Json fields = {{"verdict", contract::ToString(outcome.verdict)},
                         {"reason", contract::ToString(outcome.reason)},
                         {"message", outcome.message}};
    WriteAll(out_, LogLine(clock_.Wall(), "info", "finished", fields) + "\n", kPatience);
  }
  if (report != nullptr) {
    std::string frames;
    for (const std::string& line : report->framed.lines) frames += line + "\n";
    if (WriteAll(out_, frames, kPatience)) result.core.report = report->framed.ref;
  }
  if (log_) (void)log_->Write(contract::EncodeResult(result).message);
}

}  // namespace torchsoak::runner
