#include "operator/stresstest/result_status.h"

#include "common/base/units.h"
#include "common/contract/metrics.h"
#include "common/contract/modes.h"
#include "operator/k8s/meta.h"

namespace torchsoak::stresstest {
namespace {

using contract::Gate;
using contract::MetricValue;
using contract::RunResult;

std::string ValueText(const MetricValue& metric) {
  const contract::MetricInfo* info = contract::FindMetric(metric.name);
  if (info == nullptr || !metric.value) return "";
  return FormatValue(*metric.value, info->unit);
}

Json MetricsJson(const RunResult& result) {
  Json list = Json::array();
  for (const MetricValue& metric : result.metrics) {
    if (list.size() == 64) break;
    Json item{{"name", Cut(metric.name, 64)},
              {"statistic", contract::ToString(metric.statistic)},
              {"samples", metric.samples}};
    if (const std::string text = ValueText(metric); !text.empty()) item["value"] = text;
    list.push_back(item);
  }
  return list;
}

Json GatesJson(const RunResult& result) {
  Json list = Json::array();
  for (const Gate& gate : result.gates) {
    if (list.size() == 64) break;
    Json item{{"name", Cut(gate.name, 63)}, {"result", contract::ToString(gate.result)}};
    if (!gate.observed.empty()) item["observed"] = Cut(gate.observed, 64);
    if (!gate.limit.empty()) item["limit"] = Cut(gate.limit, 64);
    if (!gate.message.empty()) item["message"] = Cut(gate.message, 256);
    list.push_back(item);
  }
  return list;
}

Json LeaksJson(const RunResult& result) {
  Json list = Json::array();
  for (const contract::Leak& leak : result.leaks) {
    if (list.size() == 16) break;
    Json item{{"name", Cut(leak.name, 32)}, {"result", contract::ToString(leak.result)}};
    if (leak.bytes_per_step > 0) {
      item["growth"] = FormatValue(leak.bytes_per_step, Unit::kBytes) + "/step";
    } else if (const auto* metric = contract::FindMetric(leak.name); metric && leak.per_hour > 0) {
      item["growth"] = FormatValue(leak.per_hour, metric->unit) + "/h";
    }
    if (leak.first_step >= 0) item["firstStep"] = leak.first_step;
    list.push_back(item);
  }
  return list;
}

Json EnvironmentJson(const RunResult* result, const TestView& test, const PodView* pod) {
  Json env = Json::object();
  const auto put = [&](const char* key, const std::string& value, std::size_t limit) {
    if (!value.empty()) env[key] = Cut(value, limit);
  };
  if (result != nullptr) {
    put("gpuModel", result->place.gpu_model, 128);
    put("driver", result->place.driver, 64);
    put("libtorch", result->place.libtorch, 64);
  }
  if (pod != nullptr) {
    put("image", pod->image, 512);
    put("imageDigest", pod->image_id, 512);
  }
  put("sourceRevision", test.source_revision, 128);
  return env;
}

/// "2480 samples/s", "41.2TFLOP/s", "3.9TB/s", "stepTime 12ms".
std::string HeadlineOf(const MetricValue& metric) {
  std::string text = ValueText(metric);
  if (text.empty()) return "";
  const std::string kind = metric.name.substr(metric.name.rfind('.') + 1);
  if (kind == "flopsPerSecond" || kind == "bytesPerSecond") return text;
  if (kind != "samplesPerSecond") return kind + " " + text;
  if (text.ends_with("/s")) text.resize(text.size() - 2);
  return text + " samples/s";
}

/// "7 checks ok", "Driver failed", "7 checks, warned: SharedMemory".
std::string SumOfGates(const std::vector<Gate>& gates) {
  std::size_t done = 0;
  std::string warned;
  for (const Gate& gate : gates) {
    if (gate.result == contract::GateResult::kFailed) return gate.name + " failed";
    if (gate.result == contract::GateResult::kWarned) warned += " " + gate.name;
    done += gate.result != contract::GateResult::kNotEvaluated ? 1 : 0;
  }
  const std::string checks = std::to_string(done) + (done == 1 ? " check" : " checks");
  return warned.empty() ? checks + " ok" : checks + ", warned:" + warned;
}

}  // namespace

std::string Headline(const RunResult& result, std::string_view sums_up) {
  for (const Gate& gate : result.gates) {
    if (gate.result == contract::GateResult::kFailed && !gate.observed.empty()) {
      return gate.name + "=" + gate.observed + " (" + gate.limit + ")";
    }
  }
  const contract::MetricInfo* headline = contract::FindMetric(sums_up);
  for (const MetricValue& metric : result.metrics) {
    if (headline == nullptr || metric.name != headline->name) continue;
    if (metric.statistic == headline->statistics.front()) return HeadlineOf(metric);
  }
  if (headline != nullptr || result.gates.empty()) return "";
  return SumOfGates(result.gates);
}

Json NodeRow(const RunResult& result, const contract::Outcome& outcome, const PodView& pod) {
  Json row{{"node", pod.node},
           {"pod", pod.name},
           {"devices", result.place.gpus},
           {"product", result.place.gpu_model},
           {"verdict", contract::ToString(outcome.verdict)},
           {"reason", contract::ToString(outcome.reason)},
           {"message", outcome.message},
           {"metrics", MetricsJson(result)},
           {"imageDigest", pod.image_id}};
  if (pod.runner.started) row["started"] = k8s::FormatTime(*pod.runner.started);
  if (pod.runner.finished) row["finished"] = k8s::FormatTime(*pod.runner.finished);
  return row;
}

void ShowResult(const contract::DecodedResult& decoded, const TestView& test, const PodView* pod,
                TestStatus& status) {
  const RunResult* result = decoded.result ? &*decoded.result : nullptr;
  status.environment = EnvironmentJson(result, test, pod);
  if (result == nullptr) return;
  status.metrics = MetricsJson(*result);
  status.thresholds = GatesJson(*result);
  status.leaks = LeaksJson(*result);
  const contract::ModeInfo* mode = contract::FindMode(GetString(test.spec, {"mode"}));
  status.headline = Headline(*result, mode != nullptr ? mode->headline : "");
  if (status.runs.empty()) return;
  status.runs.front().gpus = result->place.gpus;
}

}  // namespace torchsoak::stresstest
