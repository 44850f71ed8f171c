#include "operator/stresstest/report_store.h"

#include <optional>
#include <utility>

#include "common/base/bytes.h"
#include "common/contract/names.h"
#include "common/contract/report_frames.h"
#include "operator/k8s/meta.h"
#include "operator/runtime/prefix_lines.h"
#include "operator/stresstest/names.h"

namespace torchsoak::stresstest {
namespace {

/// How long a report is asked for again before it counts as lost: detail, not the verdict.
constexpr std::chrono::minutes kPatience{2};
constexpr std::chrono::seconds kPatienceWithDamage{10};
constexpr int kSpareLines = 50;  ///< other lines that may stand between and behind the frames

ReportView Lost(const std::string& problem) { return {false, "", "", problem}; }

/// A ConfigMap that is already there: ours with this very report is taken, any other left alone.
/// One of a namesake that was deleted goes away by itself: kExists.
Expected<ReportView> Adopt(const Json& existing, const TestView& test, const ReportJob& job) {
  const std::string name = ResultsName(test.key.name, static_cast<int>(job.attempt) - 1);
  const auto owner = k8s::ControllerOf(existing);
  const std::string key(contract::kReportKey);
  if (IsOfDeletedNamesake(existing, test)) {
    return Fail(ErrorCode::kExists, "ConfigMap " + name + " of an earlier test is still there");
  }
  const auto gzip = Base64Decode(GetString(existing, {"binaryData", key}));
  if (!owner || owner->uid != test.uid || !gzip || Sha256Hex(*gzip) != job.ref.sha256) {
    return Lost("ConfigMap " + name + " is there already and holds something else");
  }
  return ReportView{true, name, job.ref.sha256, ""};
}

Json ConfigMapOf(const TestView& test, const ReportJob& job, const std::string& gzip) {
  const Json nodes{{"schema", "torchsoak/nodes/v1"}, {"nodes", Json::array({job.node})}};
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata",
           {{"name", ResultsName(test.key.name, static_cast<int>(job.attempt) - 1)},
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

}  // namespace

Expected<ReportView> ReportStore::Store(const TestView& test, const ReportJob& job,
                                        std::stop_token stop) {
  auto report = Try(test, job, stop);
  if (report) {
    Forget(job.pod_uid);
    return report;
  }
  const Error& error = report.error();
  if (error.code == ErrorCode::kCancelled) return report;
  const auto patience = error.code == ErrorCode::kDataLoss
                            ? std::chrono::milliseconds(kPatienceWithDamage)
                            : std::chrono::milliseconds(kPatience);
  // Without the right, or without the pod and its log, no waiting helps.
  const bool hopeless = error.code == ErrorCode::kForbidden || error.code == ErrorCode::kNotFound;
  if (!hopeless && Waited(job.pod_uid) < patience) {
    return Fail(ErrorCode::kThrottled, error.message);
  }
  Forget(job.pod_uid);
  return Lost(error.message);
}

/// How long ago the first try failed; starts the count.
BootTime ReportStore::Waited(const k8s::Uid& pod) {
  const std::lock_guard lock(mutex_);
  const auto [it, first] = failing_since_.try_emplace(pod, clock_.Boot());
  return clock_.Boot() - it->second;
}

void ReportStore::Forget(const k8s::Uid& pod) {
  logs_.Forget(pod);
  const std::lock_guard lock(mutex_);
  failing_since_.erase(pod);
}

Expected<ReportView> ReportStore::Try(const TestView& test, const ReportJob& job,
                                      std::stop_token stop) {
  const std::string name = ResultsName(test.key.name, static_cast<int>(job.attempt) - 1);
  const auto existing = client_.Get(kConfigMaps, {test.key.ns, name}, stop);
  if (existing) return Adopt(*existing, test, job);
  if (existing.error().code != ErrorCode::kNotFound) {
    return Wrap("reading ConfigMap " + name, existing.error());
  }
  const auto lines = FrameLines(test, job, stop);
  if (!lines) return Wrap("reading the log", lines.error());
  const auto gzip = contract::UnframeReport(*lines, job.ref);
  if (!gzip) return Wrap("the report in the log is damaged", gzip.error());
  return Create(test, job, *gzip, stop);
}

Expected<std::vector<std::string>> ReportStore::FrameLines(const TestView& test,
                                                           const ReportJob& job,
                                                           std::stop_token stop) {
  if (logs_.Has(job.pod_uid)) {
    if (!logs_.Finished(job.pod_uid)) return Fail(ErrorCode::kThrottled, "still being followed");
    auto followed = logs_.Peek(job.pod_uid);
    if (followed && followed->lines.size() >= static_cast<std::size_t>(job.ref.frames)) {
      return std::move(followed->lines);
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
  const std::string name = ResultsName(test.key.name, static_cast<int>(job.attempt) - 1);
  const auto created = client_.Create(kConfigMaps, test.key.ns, ConfigMapOf(test, job, gzip), stop);
  if (!created) return Wrap("creating ConfigMap " + name, created.error());
  return ReportView{true, name, Sha256Hex(gzip), ""};
}

}  // namespace torchsoak::stresstest
