#include "runner/app/verify_command.h"

#include "common/base/bytes.h"
#include "common/contract/report_frames.h"
#include "runner/app/files.h"
#include "runner/report/output.h"
#include "runner/verify/verify.h"

namespace torchsoak::runner {
namespace {

constexpr std::chrono::seconds kPatience{10};

std::string Text(const Verification& verification) {
  const contract::Outcome& claimed = verification.claimed;
  const std::string verdict = std::string(contract::ToString(claimed.verdict)) + " (" +
                              std::string(contract::ToString(claimed.reason)) + ")";
  if (verification.problems.empty()) {
    return "verified: " + verdict + ", as " + std::to_string(verification.gates) + " gates and " +
           std::to_string(verification.numbers) + " numbers that were worked out anew say\n";
  }
  std::string text = "not verified: " + verdict + "\n";
  for (const std::string& problem : verification.problems) text += "  " + problem + "\n";
  return text;
}

}  // namespace

int VerifyCommand(const std::string& file, const std::string& sha256,
                  const StandardStreams& streams) {
  const auto refuse = [&](const std::string& why) {
    WriteAll(streams.err, file + ": " + why + "\n", kPatience);
    return contract::kExitUsage;
  };
  const auto bytes = ReadFile(file, contract::kMaxReportJson);
  if (!bytes) return refuse(bytes.error().message);
  const auto text = ReadReport(*bytes);
  if (!text) return refuse(text.error().message);
  const auto report = ParseJson(*text, contract::kMaxReportJson);
  if (!report) return refuse(report.error().message);
  auto verification = VerifyReport(*report);
  if (!verification) return refuse(verification.error().message);
  const std::string hash = Sha256Hex(*bytes);
  if (!sha256.empty() && sha256 != hash) {
    verification->problems.push_back("the file's sha256 is " + hash + ", not " + sha256);
  }
  WriteAll(streams.out, Text(*verification), kPatience);
  return verification->problems.empty() ? contract::kExitPassed : contract::kExitFailed;
}

}  // namespace torchsoak::runner
