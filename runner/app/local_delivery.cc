#include "runner/app/local_delivery.h"

#include <utility>

#include "runner/app/files.h"
#include "runner/report/headline.h"
#include "runner/report/output.h"

namespace torchsoak::runner {
namespace {

using contract::GateResult;

constexpr std::chrono::seconds kPatience{10};

}  // namespace

LocalDelivery::LocalDelivery(int out, bool terminal, std::string folder)
    : out_(out), terminal_(terminal), folder_(std::move(folder)) {}

std::chrono::nanoseconds LocalDelivery::ProgressEvery() const {
  return terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000);
}

void LocalDelivery::Show(const contract::Spec& spec, const Progress& progress) {
  if (terminal_) {
    const std::string text = ProgressText(spec, progress);
    WriteAll(out_, "\r" + text + "\033[K", std::chrono::milliseconds(0));
  } else {
    TryWriteLine(out_, DumpJson(ProgressJson(progress)));
  }
}

std::string Summary(const contract::RunResult& result) {
  const contract::Outcome outcome = result.core.outcome.value_or(contract::Outcome{});
  std::string text = "verdict: " + std::string(contract::ToString(outcome.verdict)) + " (" +
                     std::string(contract::ToString(outcome.reason)) + ")\n" + outcome.message +
                     "\n";
  std::string open;
  for (const contract::Gate& gate : result.gates) {
    if (!gate.user && gate.result == GateResult::kNotEvaluated && !result.metrics.empty()) {
      open += (open.empty() ? "" : ", ") + gate.name;
      continue;
    }
    const bool quiet = gate.result == GateResult::kPassed || gate.result == GateResult::kRecorded;
    if (quiet && !result.metrics.empty()) continue;  // a preflight shows every item
    text += "  " + gate.name + ": " + std::string(contract::ToString(gate.result));
    if (quiet && !gate.observed.empty()) text += ", " + gate.observed;
    const bool said = outcome.message.find(gate.message) != std::string::npos;
    if (!said) text += ", " + gate.message;
    text += "\n";
  }
  if (!open.empty()) text += "  not evaluated, for want of data: " + open + "\n";
  for (const std::string& line : Headlines(result.metrics)) text += "  " + line + "\n";
  return text;
}

std::string LocalDelivery::ReportLine(const PackedReport* report) const {
  if (report == nullptr) return "report: could not be made\n";
  return WriteReport(folder_, report->json);
}

void LocalDelivery::Finish(contract::RunResult result, const PackedReport* report) {
  const std::string report_line = ReportLine(report);
  WriteAll(out_, (terminal_ ? "\r\033[K" : "") + Summary(result) + report_line, kPatience);
}

}  // namespace torchsoak::runner
