#include "operator/stresstest/report_store.h"

#include <optional>

#include "common/base/bytes.h"
#include "common/contract/names.h"
#include "common/contract/report_frames.h"
#include "operator/k8s/meta.h"
#include "operator/runtime/prefix_lines.h"
#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {
namespace {

/// How long an unreadable log is asked for again before the report counts as lost.
constexpr std::chrono::minutes kPatience{2};
constexpr int kSpareLines = 50;  ///< other lines that may stand between and behind the frames

ReportView Lost(const std::string& problem) { return {false, "", "", problem}; }

/// A ConfigMap that is already there: ours is taken as it is, a foreign one is left alone.
ReportView Adopt(const Json& existing, const TestView& test, const std::string& name) {
  const auto owner = k8s::ControllerOf(existing);
  if (!owner || owner->uid != test.uid) {
    return Lost("ConfigMap " + name + " is there already and belongs to somebody else");
  }
  const std::string key(contract::kReportKey);
  const auto gzip = Base64Decode(GetString(existing, {"binaryData", key}));
  if (!gzip || gzip->empty()) return Lost("ConfigMap " + name + " holds no report");
  return {true, name, Sha256Hex(*gzip), ""};
}

Json ConfigMapOf(const TestView& test, const ReportJob& job, const std::string& gzip) {
  const Json nodes{{"schema", "torchsoak/nodes/v1"}, {"nodes", Json::array({job.node})}};
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", ResultsName(test.key.name, 0)},
            {"namespace", test.key.ns},
            {"labels",
             {{contract::kLabelManagedBy, contract::kManagedBy},
              {contract::kLabelTest, test.key.name},
              {contract::kLabelUid, test.uid}}},
            {"ownerReferences", OwnedBy(test.key.name, test.uid)}}},
          {"immutable", true},
          {"binaryData",
           {{contract::kReportKey, Base64Encode(gzip)},
            {contract::kNodesKey, Base64Encode(Gzip(DumpJson(nodes)))}}}};
}

bool MayPass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kTimeout ||
         code == ErrorCode::kThrottled || code == ErrorCode::kUnknown;
}

}  // namespace

Expected<ReportView> ReportStore::Store(const TestView& test, const ReportJob& job,
                                        std::stop_token stop) {
  const std::string name = ResultsName(test.key.name, 0);
  const auto existing = client_.Get(kConfigMaps, {test.key.ns, name}, stop);
  if (existing) return Adopt(*existing, test, name);
  if (existing.error().code != ErrorCode::kNotFound) {
    return tl::unexpected<Error>(existing.error());
  }
  const auto lines = FrameLines(test, job, stop);
  if (!lines) {
    const bool patient = !job.finished || clock_.Wall() < *job.finished + kPatience;
    if (lines.error().code == ErrorCode::kCancelled || (MayPass(lines.error().code) && patient)) {
      return tl::unexpected<Error>(lines.error());
    }
    return Lost("the log could not be read: " + lines.error().message);
  }
  const auto gzip = contract::UnframeReport(*lines, job.ref);
  if (!gzip) return Lost("the report in the log is damaged: " + gzip.error().message);
  return Create(test, job, *gzip, stop);
}

Expected<std::vector<std::string>> ReportStore::FrameLines(const TestView& test,
                                                           const ReportJob& job,
                                                           std::stop_token stop) {
  if (logs_.Has(job.pod_uid)) {
    if (!logs_.Finished(job.pod_uid)) return Fail(ErrorCode::kThrottled, "still being followed");
    const auto followed = logs_.Take(job.pod_uid);
    if (followed && followed->lines.size() >= static_cast<std::size_t>(job.ref.frames)) {
      return followed->lines;
    }
  }
  runtime::PrefixLines lines(std::string(contract::kFramePrefix), {});
  k8s::LogOptions options;
  options.tail_lines = static_cast<int>(job.ref.frames) + kSpareLines;
  const Status read = client_.ReadLog(
      {test.key.ns, job.pod}, options,
      [&lines](std::string_view piece) { return lines.Feed(piece); }, stop);
  if (!read) return tl::unexpected<Error>(read.error());
  lines.End();
  return lines.TakeLines();
}

Expected<ReportView> ReportStore::Create(const TestView& test, const ReportJob& job,
                                         const std::string& gzip, std::stop_token stop) {
  const std::string name = ResultsName(test.key.name, 0);
  const auto created = client_.Create(kConfigMaps, test.key.ns, ConfigMapOf(test, job, gzip), stop);
  if (created) return ReportView{true, name, Sha256Hex(gzip), ""};
  const Error& error = created.error();
  if (error.code == ErrorCode::kInvalid || error.code == ErrorCode::kForbidden ||
      error.code == ErrorCode::kTooLarge) {
    return Lost("the API server refused ConfigMap " + name + ": " + error.message);
  }
  return tl::unexpected<Error>(error);  // kExists too: the next look adopts it
}

}  // namespace torchsoak::stresstest
