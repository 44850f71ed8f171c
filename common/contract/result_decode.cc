// DecodeResult: from whatever a kubelet kept of a termination message to what it proves.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "common/contract/checked_json.h"
#include "common/contract/result.h"

namespace torchsoak::contract {
namespace {

constexpr std::string_view kMagic = "ts1 ";
constexpr std::size_t kMaxForeign = 64U << 10U;  // kubelets keep 12 KiB at most

/// One section that proved itself: name and body.
struct Found {
  std::string_view name;
  std::string_view body;
};

/// Up to `end`, which is taken too; all of it when `end` is not there.
std::string_view TakeWord(std::string_view& text, char end) {
  const std::string_view word = text.substr(0, text.find(end));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

/// Reads the section at the front of `text` and takes it off; nothing when it is cut or damaged.
std::optional<Found> TakeSection(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with(kMagic)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  Found found;
  found.name = TakeWord(rest, ' ');
  const std::string_view length = TakeWord(rest, ' ');
  const std::string_view crc = TakeWord(rest, '\n');
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (error != std::errc() || end != length.data() + length.size()) return std::nullopt;
  if (bytes >= rest.size() || rest[bytes] != '\n') return std::nullopt;
  found.body = rest.substr(0, bytes);
  const std::string sealed = std::string(found.name) + " " + std::string(found.body);
  if (crc != Crc32Hex(sealed)) return std::nullopt;
  text = rest.substr(bytes + 1);
  return found;
}

std::optional<ResultState> ParseState(std::string_view text) {
  if (text == "final") return ResultState::kFinal;
  if (text == "checkpoint") return ResultState::kCheckpoint;
  return std::nullopt;
}

void ReadOutcome(Checked& in, Core& core) {
  Outcome outcome;
  outcome.verdict = in.Word<Verdict>("verdict", ParseVerdict, Verdict::kInconclusive);
  outcome.reason = in.Word<Reason>("reason", ParseReason, Reason::kResultMissing);
  outcome.message = in.Text("message");
  core.exit = static_cast<int>(in.Count("exit", 0, 255));
  if (!Fits(outcome.verdict, outcome.reason)) in.Bad(false);
  core.outcome = std::move(outcome);
}

struct CoreRead {
  Core core;
  std::size_t rest = 0;
  bool shed = false;
};

std::optional<CoreRead> ReadCore(std::string_view body) {
  const auto json = ParseJson(body, kMaxForeign);
  if (!json) return std::nullopt;
  Checked in(*json);
  CoreRead out;
  Core& core = out.core;
  in.Count("v", 1, 1);
  core.uid = in.Text("uid");
  core.run = in.Count("run");
  core.attempt = in.Count("attempt", 1);
  core.state = in.Word<ResultState>("state", ParseState, ResultState::kCheckpoint);
  core.measuring = in.Flag("measuring");
  core.steps = in.Count("steps");
  if (in.Has("percent")) core.percent = in.Count("percent", 0, 100);
  core.partial = in.Flag("partial");
  out.rest = static_cast<std::size_t>(in.Count("rest", 0, kMaxForeign));
  out.shed = in.Flag("shed");
  if (in.Has("report")) {
    Checked report(*Find(*json, {"report"}));
    core.report.frames = report.Count("frames", 1);
    core.report.bytes = report.Count("bytes");
    core.report.sha256 = report.Text("sha256", true);
    if (!report.ok()) in.Bad(false);
  }
  if (core.state == ResultState::kFinal) ReadOutcome(in, core);
  if (!in.ok()) return std::nullopt;
  return out;
}

bool ReadGate(const Json& json, RunResult& out) {
  Checked in(json);
  Gate gate;
  gate.name = in.Text("n", true);
  gate.result = in.Word<GateResult>("r", ParseGateResult, GateResult::kNotEvaluated);
  gate.user = in.Flag("u");
  gate.observed = in.Text("o");
  gate.limit = in.Text("l");
  gate.message = in.Text("m");
  out.gates.push_back(std::move(gate));
  return in.ok();
}

bool ReadMetric(const Json& json, RunResult& out) {
  Checked in(json);
  MetricValue metric;
  metric.name = in.Text("n", true);
  metric.statistic = in.Word<Statistic>("s", ParseStatistic, Statistic::kMean);
  metric.samples = in.Count("c");
  metric.value = in.Number("v");
  out.metrics.push_back(std::move(metric));
  return in.ok();
}

bool ReadLeak(const Json& json, RunResult& out) {
  Checked in(json);
  Leak leak;
  leak.name = in.Text("n", true);
  leak.result = in.Word<LeakResult>("r", ParseLeakResult, LeakResult::kNotEnoughData);
  leak.objects_per_step = in.Number("objects").value_or(0);
  leak.bytes_per_step = in.Number("bytes").value_or(0);
  leak.per_hour = in.Number("hour").value_or(0);
  if (in.Has("first")) leak.first_step = in.Count("first");
  out.leaks.push_back(std::move(leak));
  return in.ok();
}

bool ReadPlace(const Json& json, RunResult& out) {
  Checked in(json);
  out.place.gpu_model = in.Text("model");
  out.place.libtorch = in.Text("libtorch");
  out.place.driver = in.Text("driver");
  const Json* gpus = Find(json, {"gpus"});
  if (gpus == nullptr) return in.ok();
  if (!gpus->is_array()) return false;
  for (const Json& gpu : *gpus) {
    if (!gpu.is_string()) return false;
    out.place.gpus.push_back(gpu.get<std::string>());
  }
  return in.ok();
}

bool ReadHistogram(const Json& json, RunResult& out) {
  Checked in(json);
  out.histogram = in.Text("h", true);
  out.histogram_name = in.Text("of");
  return in.ok();
}

bool ReadList(const Json& json, bool (*read)(const Json&, RunResult&), RunResult& out) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [&](const Json& item) { return read(item, out); });
}

/// Reads one section into `out`, all of it or nothing. True for a section that this version does
/// not know: a newer runner may send more.
bool ReadSection(const Found& found, RunResult& out) {
  const auto json = ParseJson(found.body, kMaxForeign);
  if (!json) return false;
  RunResult read = out;
  bool ok = true;
  if (found.name == "gates") ok = ReadList(*json, ReadGate, read);
  if (found.name == "metrics") ok = ReadList(*json, ReadMetric, read);
  if (found.name == "leaks") ok = ReadList(*json, ReadLeak, read);
  if (found.name == "place") ok = ReadPlace(*json, read);
  if (found.name == "histogram") ok = ReadHistogram(*json, read);
  if (ok) out = std::move(read);
  return ok;
}

/// The sections of a message and whether there was anything else in it.
struct Scan {
  std::vector<Found> found;
  bool garbage = false;
};

/// JSON has no line breaks of its own here, so a section can only begin behind one.
Scan FindSections(std::string_view text) {
  Scan scan;
  while (!text.empty()) {
    if (const auto found = TakeSection(text)) {
      scan.found.push_back(*found);
      continue;
    }
    scan.garbage = true;
    const std::size_t next = text.find("\nts1 ");
    if (next == std::string_view::npos) break;
    text.remove_prefix(next + 1);
  }
  return scan;
}

DecodedResult Nothing(std::string problem) {
  return {std::nullopt, true, false, std::move(problem)};
}

void Damage(DecodedResult& out, std::string problem) {
  out.damaged = true;
  if (out.problem.empty()) out.problem = std::move(problem);
}

}  // namespace

DecodedResult DecodeResult(std::string_view message) {
  if (message.empty()) return Nothing("the termination message is empty");
  if (message.size() > kMaxForeign) return Nothing("the termination message is over 64 KiB");
  const Scan scan = FindSections(message);
  std::map<std::string_view, Found> sections;
  DecodedResult out;
  for (const Found& found : scan.found) {
    if (!sections.emplace(found.name, found).second) {
      // Two answers: nothing says which one is right.
      return Nothing("section " + Quote(found.name) + " is there twice");
    }
  }
  const auto core_at = sections.find("core");
  if (core_at == sections.end()) return Nothing("section \"core\" is missing, cut or damaged");
  const auto core = ReadCore(core_at->second.body);
  if (!core) return Nothing("section \"core\" holds values that are not possible");
  RunResult result;
  result.core = core->core;
  out.shed = core->shed;
  for (const auto& [name, found] : sections) {
    if (name == "core" || ReadSection(found, result)) continue;
    Damage(out, "section " + Quote(name) + " holds values that are not possible");
  }
  const char* end = core_at->second.body.data() + core_at->second.body.size() + 1;
  const auto behind = static_cast<std::size_t>(message.data() + message.size() - end);
  if (behind < core->rest) {
    Damage(out,
           "the message was cut: " + std::to_string(core->rest - behind) + " bytes are missing");
  }
  if (scan.garbage || behind > core->rest) Damage(out, "bytes that are no intact section");
  out.result = std::move(result);
  return out;
}

}  // namespace torchsoak::contract
