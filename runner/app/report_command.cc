#include "runner/app/report_command.h"

#include <filesystem>

#include "common/contract/report_frames.h"
#include "runner/app/files.h"
#include "runner/report/output.h"
#include "runner/report/report_document.h"

namespace torchsoak::runner {

int ReportCommand(const std::string& file, const std::string& out, const StandardStreams& streams) {
  constexpr std::chrono::seconds kPatience{10};
  const auto refuse = [&](const std::string& why) {
    WriteAll(streams.err, why + "\n", kPatience);
    return contract::kExitUsage;
  };
  const auto bytes = ReadFile(file, contract::kMaxReportJson);
  if (!bytes) return refuse(bytes.error().message);
  const auto json = ReadReport(*bytes);
  if (!json) return refuse(file + ": " + json.error().message);
  const auto report = ParseJson(*json, contract::kMaxReportJson);
  if (!report) return refuse(file + ": " + report.error().message);
  if (GetString(*report, {"schema"}) != kReportSchema) {
    return refuse(file + ": not a report of the schema " + kReportSchema);
  }
  const std::string folder = out.empty() ? "." : out;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::string lines = WriteReport(folder, *json);
  WriteAll(streams.out, lines, kPatience);
  return lines.find("could not write") == std::string::npos ? contract::kExitPassed
                                                            : contract::kExitUsage;
}

}  // namespace torchsoak::runner
