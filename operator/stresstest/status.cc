#include "operator/stresstest/status.h"

#include <algorithm>
#include <array>
#include <utility>

#include "operator/k8s/meta.h"

namespace torchsoak::stresstest {
namespace {

/// Bytes of the control character, or of the code point that is none, at the beginning of `text`;
/// 0: none. Line feed and tab may stay.
std::size_t Unprintable(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (text[0] == '\n' || text[0] == '\t') return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;  // U+0080–9F
  if (byte(0) == 0xEF && byte(1) == 0xBF && (byte(2) == 0xBE || byte(2) == 0xBF)) return 3;
  return 0;
}

/// The API server reads what is applied as YAML, which knows no control characters, raw or escaped:
/// one in a message would keep the whole status out. And nobody's terminal wants them.
void MakePrintable(Json& json) {
  if (json.is_structured()) {
    for (Json& inner : json) MakePrintable(inner);
  } else if (json.is_string()) {
    const auto text = json.get<std::string>();
    std::string printable;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t bad = Unprintable(std::string_view(text).substr(i));
      printable += bad > 0 ? '?' : text[i];
      i += std::max<std::size_t>(bad, 1);
    }
    json = printable;
  }
}

/// A condition of somebody else's stays theirs: sent along, it would become ours, and with many of
/// them the list would be too long.
bool IsOurs(const std::string& type) {
  constexpr std::array kTypes{"Accepted",       "Suspended", "Scheduled",
                              "Running",        "Finished",  "ResultsCollected",
                              "ResultComplete", "Passed",    "ResourcesReleased"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

void PutText(Json& to, const char* key, const std::string& value, std::size_t limit) {
  if (!value.empty()) to[key] = Cut(value, limit);
}

Condition ConditionFromJson(const Json& json) {
  Condition c;
  c.type = GetString(json, {"type"});
  c.status = GetString(json, {"status"});
  c.reason = GetString(json, {"reason"});
  c.message = GetString(json, {"message"});
  c.since = k8s::ParseTime(GetString(json, {"lastTransitionTime"})).value_or(WallTime{});
  c.generation = GetInt(json, {"observedGeneration"}).value_or(0);
  return c;
}

Json ConditionToJson(const Condition& c) {
  return {{"type", c.type},
          {"status", c.status},
          {"reason", Cut(c.reason, 64)},
          {"message", Cut(c.message, 1024)},
          {"lastTransitionTime", k8s::FormatTime(c.since)},
          {"observedGeneration", c.generation}};
}

RunStatus RunFromJson(const Json& json) {
  RunStatus run;
  run.name = GetString(json, {"name"});
  run.attempt = GetInt(json, {"attempt"}).value_or(1);
  run.job_uid = GetString(json, {"jobUID"});
  run.pod = GetString(json, {"pod"});
  run.pod_uid = GetString(json, {"podUID"});
  run.node = GetString(json, {"node"});
  if (const Json* gpus = Find(json, {"gpus"}); gpus != nullptr && gpus->is_array()) {
    for (const Json& gpu : *gpus) {
      if (gpu.is_string()) run.gpus.push_back(gpu.get<std::string>());
    }
  }
  run.exit_code = GetInt(json, {"exitCode"});
  run.verdict = GetString(json, {"verdict"});
  run.reason = GetString(json, {"reason"});
  run.stopping = GetString(json, {"stopping"});
  run.pull_failing_since = k8s::ParseTime(GetString(json, {"pullFailingSince"}));
  return run;
}

Json RunToJson(const RunStatus& run) {
  Json json{{"name", run.name}, {"attempt", run.attempt}};
  PutText(json, "jobUID", run.job_uid, 64);
  PutText(json, "pod", run.pod, 253);
  PutText(json, "podUID", run.pod_uid, 64);
  PutText(json, "node", run.node, 253);
  for (const std::string& gpu : run.gpus) {
    if (json["gpus"].size() < 16) json["gpus"].push_back(Cut(gpu, 128));
  }
  if (run.exit_code) json["exitCode"] = *run.exit_code;
  PutText(json, "verdict", run.verdict, 64);
  PutText(json, "reason", run.reason, 64);
  PutText(json, "stopping", run.stopping, 64);
  if (run.pull_failing_since) json["pullFailingSince"] = k8s::FormatTime(*run.pull_failing_since);
  return json;
}

Json ArrayAt(const Json& json, const char* key) {
  const Json* value = Find(json, {key});
  return value != nullptr && value->is_array() ? *value : Json::array();
}

Json ObjectAt(const Json& json, const char* key) {
  const Json* value = Find(json, {key});
  return value != nullptr && value->is_object() ? *value : Json::object();
}

}  // namespace

std::string Cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t end = bytes > 3 ? bytes - 3 : 0;  // "…" takes three bytes
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + (bytes > 3 ? "…" : "");
}

const RunStatus* TestStatus::CurrentRun() const {
  return !runs.empty() && runs.front().attempt == attempt ? &runs.front() : nullptr;
}

const Condition* TestStatus::Find(std::string_view type) const {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [&](const Condition& c) { return c.type == type; });
  return it == conditions.end() ? nullptr : &*it;
}

bool TestStatus::Holds(std::string_view type) const {
  const Condition* condition = Find(type);
  return condition != nullptr && condition->status == "True";
}

void TestStatus::Set(Condition wanted) {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [&](const Condition& c) { return c.type == wanted.type; });
  if (it == conditions.end()) {
    conditions.push_back(std::move(wanted));
    return;
  }
  if (it->status == wanted.status) wanted.since = it->since;
  *it = std::move(wanted);
}

TestStatus StatusFromJson(const Json& json) {
  TestStatus s;
  s.observed_generation = GetInt(json, {"observedGeneration"}).value_or(0);
  s.phase = GetString(json, {"phase"});
  s.verdict = GetString(json, {"verdict"});
  s.reason = GetString(json, {"reason"});
  s.message = GetString(json, {"message"});
  s.headline = GetString(json, {"headline"});
  s.start = k8s::ParseTime(GetString(json, {"startTime"}));
  s.completion = k8s::ParseTime(GetString(json, {"completionTime"}));
  s.attempt = GetInt(json, {"attempt"}).value_or(0);
  for (const Json& condition : ArrayAt(json, "conditions")) {
    if (IsOurs(GetString(condition, {"type"}))) {
      s.conditions.push_back(ConditionFromJson(condition));
    }
  }
  s.progress = GetString(json, {"progress", "text"});
  s.percent = GetInt(json, {"progress", "percent"});
  for (const Json& run : ArrayAt(json, "runs")) s.runs.push_back(RunFromJson(run));
  s.metrics = ArrayAt(json, "metrics");
  s.thresholds = ArrayAt(json, "thresholds");
  s.leaks = ArrayAt(json, "leaks");
  s.results = ObjectAt(json, "results");
  s.environment = ObjectAt(json, "environment");
  return s;
}

Json StatusToJson(const TestStatus& s) {
  Json json{{"observedGeneration", s.observed_generation}};
  PutText(json, "phase", s.phase, 64);
  PutText(json, "verdict", s.verdict, 64);
  PutText(json, "reason", s.reason, 64);
  PutText(json, "message", s.message, 1024);
  PutText(json, "headline", s.headline, 64);
  if (s.start) json["startTime"] = k8s::FormatTime(*s.start);
  if (s.completion) json["completionTime"] = k8s::FormatTime(*s.completion);
  if (s.attempt > 0) json["attempt"] = s.attempt;
  json["conditions"] = Json::array();
  for (const Condition& c : s.conditions) json["conditions"].push_back(ConditionToJson(c));
  if (!s.progress.empty()) json["progress"]["text"] = Cut(s.progress, 32);
  if (s.percent) json["progress"]["percent"] = *s.percent;
  if (!s.runs.empty()) json["runs"] = Json::array();
  for (const RunStatus& run : s.runs) json["runs"].push_back(RunToJson(run));
  if (!s.metrics.empty()) json["metrics"] = s.metrics;
  if (!s.thresholds.empty()) json["thresholds"] = s.thresholds;
  if (!s.leaks.empty()) json["leaks"] = s.leaks;
  if (!s.results.empty()) json["results"] = s.results;
  if (!s.environment.empty()) json["environment"] = s.environment;
  MakePrintable(json);
  return json;
}

}  // namespace torchsoak::stresstest
