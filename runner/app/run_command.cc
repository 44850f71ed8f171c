#include "runner/app/run_command.h"

#include <unistd.h>

#include <filesystem>

#include "common/base/version.h"
#include "common/contract/names.h"
#include "common/spec/load.h"
#include "runner/app/files.h"
#include "runner/app/local_delivery.h"
#include "runner/app/session.h"
#include "runner/report/output.h"
#include "runner/report/utc.h"

namespace torchsoak::runner {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kMaxFile = 1U << 20U;

int Refuse(const CommandContext& context, const std::string& why) {
  std::string text = why;
  if (!text.ends_with('\n')) text += '\n';
  WriteAll(context.streams.err, text, kPatience);
  return contract::kExitUsage;
}

/// Makes the folder for the report now: an hour of measuring must not end with "cannot write".
Expected<std::string> MakeFolder(const std::string& wanted, const std::string& test, WallTime now) {
  const std::string folder = wanted.empty() ? "./" + test + "-" + CompactUtc(now) : wanted;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && ::access(folder.c_str(), W_OK) == 0) return folder;
  return Fail(ErrorCode::kForbidden,
              "cannot write to the folder " + folder + "; --out names another");
}

std::string Opening(const RunFacts& facts) {
  const std::string where =
      facts.spec.gpu.per_pod == 0 ? "CPU run" : std::to_string(facts.spec.gpu.per_pod) + " GPU";
  return std::string("torchsoak-runner ") + kVersion + ": " + facts.run.test + ", " +
         std::string(contract::ToString(facts.spec.mode)) + ", " + where + ", " +
         std::to_string(facts.environment.threads.count) +
         (facts.environment.threads.count == 1 ? " thread (" : " threads (") +
         facts.environment.threads.reason + ")\n";
}

int RunObject(const Json& object, const std::string& out, const CommandContext& context) {
  const Json* spec_json = Find(object, {"spec"});
  auto spec = contract::ParseSpec(spec_json != nullptr ? *spec_json : Json::object());
  if (!spec) return Refuse(context, spec.error().message);
  RunFacts facts;
  facts.spec = std::move(*spec);
  facts.environment = ReadEnvironment(context.env);
  facts.started = context.clock.Wall();
  facts.run.test = GetString(object, {"metadata", "name"});
  facts.run.ns = GetString(object, {"metadata", "namespace"});
  facts.run.source_revision =
      GetString(object, {"metadata", "annotations", contract::kAnnotationRevision});
  facts.run.spec = *spec_json;
  facts.environment.malloc = context.malloc;
  const auto folder = MakeFolder(out, facts.run.test, facts.started);
  if (!folder) return Refuse(context, folder.error().message);
  WriteAll(context.streams.out, Opening(facts), kPatience);
  LocalDelivery delivery(context.streams.out, ::isatty(context.streams.out) == 1, *folder);
  return RunSession(facts, {context.clock, context.backend, delivery, context.stops, context.exit,
                            /*enforce_run_timeout=*/true});
}

}  // namespace

int RunCommand(const std::string& file, const std::string& out, const CommandContext& context) {
  const auto text = ReadFile(file, kMaxFile);
  if (!text) return Refuse(context, text.error().message);
  const auto object = spec::LoadStressTest(*text);
  if (!object) return Refuse(context, spec::Describe(file, object.error()));
  return RunObject(*object, out, context);
}

int PreflightCommand(std::optional<int> gpus, const std::string& out,
                     const CommandContext& context) {
  const int asked = gpus.value_or(context.backend.VisibleAccelerators());
  const Json test = {
      {"apiVersion", std::string(contract::kGroup) + "/" + std::string(contract::kVersionName)},
      {"kind", contract::kKind},
      {"metadata", {{"name", "preflight"}}},
      {"spec",
       {{"mode", "Preflight"}, {"preflight", Json::object()}, {"gpu", {{"perPod", asked}}}}}};
  const auto object = spec::ValidateStressTest(test);
  if (!object) return Refuse(context, spec::Describe("preflight", object.error()));
  return RunObject(*object, out, context);
}

}  // namespace torchsoak::runner
