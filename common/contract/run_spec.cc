#include <algorithm>
#include <utility>

#include "common/base/json.h"
#include "common/contract/names.h"
#include "common/contract/spec.h"

namespace torchsoak::contract {
namespace {

constexpr std::size_t kMaxRunSpec = 32U << 10U;
constexpr std::size_t kMaxRevision = 256;
constexpr std::int64_t kVersion = 1;

}  // namespace

Expected<std::string> EncodeRunSpec(const RunSpec& run) {
  if (run.source_revision.size() > kMaxRevision) {
    return Fail(ErrorCode::kTooLarge, "annotation " + std::string(kAnnotationRevision) + " has " +
                                          std::to_string(run.source_revision.size()) +
                                          " bytes; a commit or a tag of at most " +
                                          std::to_string(kMaxRevision) + " is allowed");
  }
  Json json = {{"v", kVersion},  {"namespace", run.ns},    {"test", run.test}, {"uid", run.uid},
               {"run", run.run}, {"attempt", run.attempt}, {"spec", run.spec}};
  if (!run.source_revision.empty()) json["sourceRevision"] = run.source_revision;
  std::string text = DumpJson(json);
  if (text.size() > kMaxRunSpec) {
    return Fail(ErrorCode::kTooLarge,
                "the spec takes " + std::to_string(text.size()) + " bytes as JSON; at most " +
                    std::to_string(kMaxRunSpec) +
                    " fit the runner's environment: shorten spec.pod, its env above all");
  }
  return text;
}

RunSpec ReadRunIdentity(std::string_view text) {
  RunSpec run;
  const auto json = ParseJson(text, kMaxRunSpec);
  if (!json) return run;
  run.ns = GetString(*json, {"namespace"});
  run.test = GetString(*json, {"test"});
  run.uid = GetString(*json, {"uid"});
  run.run = std::max<std::int64_t>(GetInt(*json, {"run"}).value_or(0), 0);
  run.attempt = std::max<std::int64_t>(GetInt(*json, {"attempt"}).value_or(1), 1);
  return run;
}

Expected<RunSpec> DecodeRunSpec(std::string_view text) {
  auto json = ParseJson(text, kMaxRunSpec);
  if (!json) return Wrap("reading the run's spec", json.error());
  if (GetInt(*json, {"v"}) != kVersion) {
    return Fail(ErrorCode::kInvalid,
                "the run's spec is not of version 1: operator and runner image do not belong "
                "together, install both from one release");
  }
  const Json* spec = Find(*json, {"spec"});
  const auto number = GetInt(*json, {"run"});
  const auto attempt = GetInt(*json, {"attempt"});
  if (spec == nullptr || !spec->is_object() || number.value_or(-1) < 0 || attempt.value_or(0) < 1) {
    return Fail(ErrorCode::kInvalid, "the run's spec lacks spec, run or attempt");
  }
  RunSpec run = ReadRunIdentity(text);
  run.source_revision = GetString(*json, {"sourceRevision"});
  run.spec = *spec;
  return run;
}

}  // namespace torchsoak::contract
