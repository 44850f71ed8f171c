#include "runner/report/report_document.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "common/base/bytes.h"
#include "common/base/units.h"
#include "common/base/version.h"
#include "common/stats/poisson.h"
#include "runner/report/leaks.h"
#include "runner/report/mode_gates.h"
#include "runner/report/steadiness.h"
#include "runner/report/utc.h"

namespace torchsoak::runner {
namespace {

using std::chrono::nanoseconds;

constexpr std::array<std::size_t, kDetailLevels> kPoints = {512, 128, 32, 0};

double Seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

Json TestJson(const RunFacts& facts) {
  Json test = {{"name", facts.run.test}, {"run", facts.run.run}, {"attempt", facts.run.attempt}};
  if (!facts.run.ns.empty()) test["namespace"] = facts.run.ns;
  if (!facts.run.uid.empty()) test["uid"] = facts.run.uid;
  return test;
}

Json OutcomeJson(const contract::Core& core) {
  Json json = {{"exit", core.exit},
               {"partial", core.partial},
               {"measuring", core.measuring},
               {"steps", core.steps}};
  if (core.outcome) {
    json["verdict"] = contract::ToString(core.outcome->verdict);
    json["reason"] = contract::ToString(core.outcome->reason);
    json["message"] = core.outcome->message;
  }
  return json;
}

Json GatesJson(const std::vector<contract::Gate>& gates) {
  Json list = Json::array();
  for (const contract::Gate& gate : gates) {
    Json item = {
        {"name", gate.name}, {"result", contract::ToString(gate.result)}, {"user", gate.user}};
    if (!gate.observed.empty()) item["observed"] = gate.observed;
    if (!gate.limit.empty()) item["limit"] = gate.limit;
    if (!gate.message.empty()) item["message"] = gate.message;
    list.push_back(std::move(item));
  }
  return list;
}

Json MetricsJson(const std::vector<contract::MetricValue>& metrics) {
  Json list = Json::array();
  for (const contract::MetricValue& metric : metrics) {
    const contract::MetricInfo* info = contract::FindMetric(metric.name);
    const Unit unit = info != nullptr ? info->unit : Unit::kNone;
    Json item = {{"name", metric.name},
                 {"statistic", contract::ToString(metric.statistic)},
                 {"samples", metric.samples}};
    if (metric.value && std::isfinite(*metric.value)) {
      item["value"] = *metric.value;
      item["text"] = FormatValue(*metric.value, unit);
    } else {
      item["reason"] = metric.samples == 0 ? "nothing was measured" : "not defined for this run";
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json WindowsJson(const RateWindows& windows, std::size_t points) {
  Series series(std::max<std::size_t>(2, points));
  for (const RateWindows::Window& window : windows.Windows()) {
    series.Add(Seconds(window.end), window.PerSecond());
  }
  return series.ToJson(points);
}

/// A count of samples is whole; floating-point operations soon exceed 64 bits.
Json Amount(double work) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (work < kExact) return static_cast<std::int64_t>(work);
  return work;
}

Json ChecksJson(const Measurements& measured, contract::Mode mode) {
  const Checks& checks = measured.checks();
  Json json = {
      {"results", checks.results}, {"wrong", checks.wrong}, {"unchecked", checks.unchecked}};
  if (!checks.detail.empty()) json["detail"] = checks.detail;
  json["covered"] = checks.covered;
  if (checks.results > 0 && measured.work() > 0) {
    const std::string key =
        mode == contract::Mode::kGemm ? "wrongPer1e15FlopAtMost" : "wrongPer1e15BytesAtMost";
    json[key] = stats::PoissonUpper(checks.wrong) / measured.work() * 1e15;
  }
  return json;
}

/// Of the losses' bytes as IEEE 754 doubles.
Json LossChecksumJson(const std::vector<double>& losses) {
  const auto* bytes = reinterpret_cast<const char*>(losses.data());
  return {{"steps", losses.size()}, {"sha256", Sha256Hex({bytes, losses.size() * sizeof(double)})}};
}

/// Curves by the name of their metric; "over" says what x is.
Json SeriesJson(const Measurements& measured, const contract::ModeInfo& mode, std::size_t points) {
  Json json = Json::object();
  const auto add = [&](std::string_view name, Json curve, const char* over) {
    curve["over"] = over;
    json[std::string(name)] = std::move(curve);
  };
  const std::string own = std::string(mode.member) + ".";
  if (measured.work() > 0) {
    add(mode.rate, WindowsJson(measured.windows(), points), "seconds");
  }
  add("memory.allocated", measured.memory().ToJson(points), "seconds");
  for (const Streams::Stream& stream : measured.streams().all()) {
    add(stream.metric, stream.series.ToJson(points), "seconds");
  }
  if (measured.loss().count() + measured.loss().left_out() > 0) {
    add(own + "loss", measured.loss().ToJson(points), "steps");
  }
  return json;
}

Json CanariesJson(const std::vector<Canary>& canaries) {
  Json list = Json::array();
  for (const Canary& canary : canaries) {
    list.push_back({{"detector", canary.detector},
                    {"state", ToString(canary.state)},
                    {"detail", canary.detail}});
  }
  return list;
}

Json EpochsJson(const Measurements& measured) {
  Json list = Json::array();
  for (const Epoch& epoch : measured.epochs()) {
    Json item = {{"epoch", epoch.number},
                 {"steps", epoch.steps},
                 {"seconds", Seconds(epoch.duration)},
                 {"peakAllocated", epoch.peak}};
    if (std::isfinite(epoch.mean_loss)) item["meanLoss"] = epoch.mean_loss;
    if (std::isfinite(epoch.last_loss)) item["lastLoss"] = epoch.last_loss;
    list.push_back(std::move(item));
  }
  return list;
}

Json TraceJson(const Measurements& measured) {
  Json list = Json::array();
  for (const Measurements::TraceRow& row : measured.trace()) {
    Json item = {{"step", row.step}, {"memoryAllocated", row.allocated}, {"memoryPeak", row.peak}};
    if (row.loss) item["loss"] = *row.loss;
    list.push_back(std::move(item));
  }
  return list;
}

Json HistogramJson(const contract::Histogram& histogram, const std::string& name) {
  Json buckets = Json::array();
  for (const auto& [value, count] : histogram.Buckets()) buckets.push_back({value, count});
  return {{"metric", name},
          {"unit", "ns"},
          {"count", histogram.count()},
          {"min", histogram.min()},
          {"max", histogram.max()},
          {"mean", histogram.Mean()},
          {"clamped", histogram.clamped()},
          {"buckets", std::move(buckets)}};
}

Json GrowthJson(const Growth& growth) {
  return {{"perHour", growth.per_hour}, {"low", growth.low},
          {"high", growth.high},        {"p", growth.p},
          {"steps", growth.steps},      {"rests", growth.rests},
          {"windows", growth.windows},  {"fromSeconds", growth.from}};
}

Json LeaksJson(const Measurements& measured) {
  Json list = Json::array();
  for (const LeakFinding& finding : FindLeaks(measured)) {
    Json item = {{"name", finding.leak.name},
                 {"result", contract::ToString(finding.leak.result)},
                 {"samples", finding.samples},
                 {"explanation", finding.explanation}};
    if (finding.leak.objects_per_step > 0) {
      item["objectsPerStep"] = finding.leak.objects_per_step;
    }
    if (finding.leak.bytes_per_step > 0) item["bytesPerStep"] = finding.leak.bytes_per_step;
    if (finding.born) item["part"] = ToString(*finding.born);
    if (finding.leak.first_step >= 0) item["firstStep"] = finding.leak.first_step;
    if (finding.growth && finding.growth->windows > 0) item["growth"] = GrowthJson(*finding.growth);
    list.push_back(std::move(item));
  }
  return list;
}

/// Seconds a phase, which add up to the wall time; `stalled` is cut out of the phase it hit.
Json TimelineJson(const ReportInput& input) {
  auto spent = input.snapshot.spent;
  nanoseconds sum{};
  for (const nanoseconds part : spent) sum += part;
  const nanoseconds wall = input.ended - input.facts.started;
  spent[static_cast<std::size_t>(input.snapshot.phase)] +=
      std::max(nanoseconds(0), wall - sum - input.end.stalled);
  Json json = {{"stalled", Seconds(input.end.stalled)}};
  for (std::size_t i = 0; i < kPhases; ++i) {
    json[std::string(ToString(static_cast<Phase>(i)))] = Seconds(spent[i]);
  }
  return json;
}

void AddMeasured(const ReportInput& input, int level, Json& report) {
  const Measurements& measured = *input.snapshot.measured;
  const std::size_t points = kPoints[static_cast<std::size_t>(level)];
  report["measured"] = {{"steps", measured.steps()},
                        {"errors", measured.errors()},
                        {"seconds", Seconds(measured.elapsed())}};
  const contract::Mode mode = input.facts.spec.mode;
  if (const auto noun = contract::WorkNoun(mode); !noun.empty()) {
    report["measured"][std::string(noun)] = Amount(measured.work());
  }
  if (const nanoseconds aside = measured.windows().aside(); aside.count() > 0) {
    report["measured"]["asideSeconds"] = Seconds(aside);
  }
  if (ChecksResults(mode)) report["checks"] = ChecksJson(measured, mode);
  if (mode == contract::Mode::kBenchmark) {
    report["benchmark"] = measured.blocks().ToJson(level < 2);
  }
  report["leaks"] = LeaksJson(measured);
  if (const auto drift = FindDriftOf(measured)) report["drift"] = ToJson(*drift);
  report["epochs"] = EpochsJson(measured);
  if (!measured.loss_trace().empty()) {
    report["lossChecksum"] = LossChecksumJson(measured.loss_trace());
  }
  report["epochsFinished"] = measured.epochs_finished();
  if (const auto step = measured.non_finite_step()) report["nonFiniteLoss"] = {{"step", *step}};
  if (points == 0) return;
  report["series"] = SeriesJson(measured, contract::InfoOf(mode), points);
  report["trace"] = TraceJson(measured);
  if (level < 2 && !input.result.histogram_name.empty()) {
    report["histograms"] =
        Json::array({HistogramJson(measured.latency(), input.result.histogram_name)});
  }
}

}  // namespace

std::string SealOf(Json report) {
  report.erase("seal");
  return Sha256Hex(DumpJson(report));
}

Json BuildReport(const ReportInput& input, int level) {
  const RunFacts& facts = input.facts;
  Json environment = ToJson(facts.environment);
  environment["libraries"] = input.snapshot.versions;
  environment["devices"] = input.snapshot.devices;
  Json report = {
      {"schema", kReportSchema},
      {"test", TestJson(facts)},
      {"spec", facts.run.spec},
      {"outcome", OutcomeJson(input.result.core)},
      {"gates", GatesJson(input.result.gates)},
      {"metrics", MetricsJson(input.result.metrics)},
      {"canaries", CanariesJson(input.snapshot.canaries)},
      {"workload", input.snapshot.workload},
      {"environment", std::move(environment)},
      {"times", {{"started", FormatUtc(facts.started)}, {"ended", FormatUtc(input.ended)}}},
      {"timeline", TimelineJson(input)},
      {"warmupSteps", input.snapshot.warmup_steps},
      {"runner", {{"version", kVersion}, {"commit", kCommit}}},
  };
  if (!facts.run.source_revision.empty()) report["sourceRevision"] = facts.run.source_revision;
  if (level > 0) report["detailLeftOut"] = level;
  if (input.snapshot.measured != nullptr) AddMeasured(input, level, report);
  report["seal"] = SealOf(report);
  return report;
}

Expected<PackedReport> PackReport(const ReportInput& input) {
  for (int level = 0;; ++level) {
    std::string json = DumpJson(BuildReport(input, level));
    Expected<contract::FramedReport> framed = contract::FrameReport(json);
    if (framed) return PackedReport{std::move(json), std::move(*framed)};
    if (framed.error().code != ErrorCode::kTooLarge || level + 1 >= kDetailLevels) {
      return Wrap("packing the report", framed.error());
    }
  }
}

}  // namespace torchsoak::runner
