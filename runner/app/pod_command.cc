#include "runner/app/pod_command.h"

#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/base/version.h"
#include "common/contract/names.h"
#include "runner/app/pod_delivery.h"
#include "runner/app/session.h"
#include "runner/report/output.h"

namespace torchsoak::runner {
namespace {

constexpr std::chrono::seconds kPatience{10};

void Say(const CommandContext& context, std::string_view level, std::string_view message,
         const Json& fields) {
  WriteAll(context.streams.out, LogLine(context.clock.Wall(), level, message, fields) + "\n",
           kPatience);
}

std::optional<TerminationLog> OpenLog(const CommandContext& context) {
  const auto path =
      context.env(kEnvTerminationLog).value_or(std::string(contract::kTerminationLog));
  auto log = TerminationLog::Open(path);
  if (log) return std::move(*log);
  Say(context, "error", "no termination log, the result cannot be handed over",
      {{"error", log.error().message}});
  return std::nullopt;
}

/// What the operator sent cannot be run: it is told so in the only way there is.
int Refuse(const CommandContext& context, const contract::RunSpec& run, const std::string& why) {
  contract::RunResult result;
  result.core.uid = run.uid;
  result.core.run = run.run;
  result.core.attempt = run.attempt;
  result.core.state = contract::ResultState::kFinal;
  result.core.outcome = contract::Outcome{contract::Verdict::kError, contract::Reason::kInvalidSpec,
                                          Shorten(why, 200)};
  result.core.exit = contract::kExitUsage;
  Say(context, "error", why, Json::object());
  PodDelivery(context.streams.out, context.clock, OpenLog(context))
      .Finish(std::move(result), nullptr);
  return contract::kExitUsage;
}

}  // namespace

int PodCommand(const CommandContext& context) {
  const std::string name(contract::kEnvRun);
  const auto text = context.env(name);
  if (!text) return Refuse(context, {}, name + " is not set: the operator sets it for a run");
  auto run = contract::DecodeRunSpec(*text);
  if (!run) return Refuse(context, contract::ReadRunIdentity(*text), run.error().message);
  auto spec = contract::ParseSpec(run->spec);
  if (!spec) return Refuse(context, *run, spec.error().message);
  RunFacts facts{std::move(*run), std::move(*spec), ReadEnvironment(context.env),
                 context.clock.Wall()};
  facts.environment.malloc = context.malloc;
  PodDelivery delivery(context.streams.out, context.clock, OpenLog(context));
  Say(context, "info", "started",
      {{"test", facts.run.test},
       {"run", facts.run.run},
       {"attempt", facts.run.attempt},
       {"version", kVersion},
       {"threads", facts.environment.threads.count}});
  return RunSession(facts, {context.clock, context.backend, delivery, context.stops, context.exit,
                            /*enforce_run_timeout=*/false});
}

}  // namespace torchsoak::runner
