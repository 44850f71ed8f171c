#include "operator/k8s/watch/reflector_step.h"

#include <algorithm>
#include <array>
#include <utility>

namespace torchsoak::k8s {
namespace {

using Effects = ReflectorEffects;
using Nanoseconds = std::chrono::nanoseconds;

constexpr std::array kCauseNames = {
    std::string_view("ended"),     std::string_view("short"),     std::string_view("idle"),
    std::string_view("lost"),      std::string_view("expired"),   std::string_view("throttled"),
    std::string_view("error"),     std::string_view("malformed"), std::string_view("list_failed"),
    std::string_view("older_list")};

/// 0.8 s, 1.6 s, ... 30 s, each with up to 100 % on top.
Nanoseconds NextBackoff(ReflectorState& state, const Moment& moment) {
  if (state.failures > 0 && moment.now - state.last_failure > kHealthyAfter) state.failures = 0;
  const int doublings = std::min(state.failures, 6);
  const Nanoseconds base = std::min<Nanoseconds>(kFirstBackoff * (1 << doublings), kLongestBackoff);
  ++state.failures;
  state.last_failure = moment.now;
  const double jitter = static_cast<double>(base.count()) * moment.random;
  return base + Nanoseconds(static_cast<Nanoseconds::rep>(jitter));
}

Effects ListFromStart(ReflectorState& state) {
  state.continue_token.clear();
  state.list_version = {};
  Effects effects;
  effects.store = Effects::Store::kDropPages;
  effects.next = Effects::Next::kList;
  effects.limit = state.full_list ? 0 : kPageLimit;
  return effects;
}

Effects FailList(ReflectorState& state, const Moment& moment, RestartCause cause,
                 std::string detail) {
  state.full_list = false;
  Effects effects = ListFromStart(state);
  effects.delay = NextBackoff(state, moment);
  effects.restart = cause;
  effects.detail = std::move(detail);
  // A server that went back in time for good (restored from a backup) is left to the health check:
  // a process that starts anew knows no version.
  effects.progress = cause != RestartCause::kOlderList;
  return effects;
}

Effects WatchAgain(const Moment& moment) {
  Effects effects;
  effects.next = Effects::Next::kWatch;
  effects.timeout_seconds = 300 + static_cast<int>(moment.random * 301);
  return effects;
}

void SignOfLife(ReflectorState& state) {
  state.stream_had_event = true;
  state.failing_since.reset();
  state.server_errors_since.reset();
}

Effects On(ReflectorState& state, const Started&, const Moment&) { return ListFromStart(state); }

Effects On(ReflectorState& state, const PageRead& page, const Moment& moment) {
  if (!IsUsableVersion(page.version)) {
    return FailList(state, moment, RestartCause::kListFailed,
                    "list without a usable resourceVersion: \"" + page.version.text() + "\"");
  }
  if (state.list_version.empty()) state.list_version = page.version;
  if (state.list_version < state.version) {
    return FailList(state, moment, RestartCause::kOlderList,
                    "list at " + state.list_version.text() + ", but " + state.version.text() +
                        " was already seen");
  }
  if (!page.next.empty() && page.next == state.continue_token) {
    return FailList(state, moment, RestartCause::kListFailed, "the continue token repeats itself");
  }
  if (!page.next.empty()) {
    state.continue_token = page.next;
    Effects effects;
    effects.store = Effects::Store::kKeepPage;
    effects.next = Effects::Next::kList;
    effects.limit = state.full_list ? 0 : kPageLimit;
    effects.token = page.next;
    return effects;
  }
  state.version = std::exchange(state.list_version, {});
  state.continue_token.clear();
  state.full_list = false;
  state.failing_since.reset();
  state.server_errors_since.reset();
  Effects effects = WatchAgain(moment);
  effects.store = Effects::Store::kReplace;
  return effects;
}

Effects On(ReflectorState& state, const ListFailed& failed, const Moment& moment) {
  const bool on_later_page = !state.continue_token.empty();
  if (failed.error.code == ErrorCode::kExpired && on_later_page) {
    // The pages are older than what the server keeps; without a limit there is nothing to expire.
    state.full_list = true;
    Effects effects = ListFromStart(state);
    effects.restart = RestartCause::kExpired;
    effects.detail = failed.error.message;
    return effects;
  }
  const bool throttled = failed.error.code == ErrorCode::kThrottled;
  return FailList(state, moment, throttled ? RestartCause::kThrottled : RestartCause::kListFailed,
                  failed.error.message);
}

Effects On(ReflectorState& state, const StreamOpened&, const Moment& moment) {
  state.stream_began = moment.now;
  state.stream_had_event = false;
  state.verdict.reset();
  return {};
}

Effects EndStream(ReflectorState& state, StreamVerdict verdict) {
  state.verdict = std::move(verdict);
  Effects effects;
  effects.next = Effects::Next::kEndStream;
  return effects;
}

StreamVerdict JudgeError(ReflectorState& state, const WatchEvent& event, BootTime now) {
  switch (event.error) {
    case WatchErrorKind::kExpired:
      return {true, RestartCause::kExpired, Nanoseconds(0), event.message};
    case WatchErrorKind::kVersionTooLarge:
      return {true, RestartCause::kServerError, event.retry_after, event.message};
    case WatchErrorKind::kThrottled:
      return {false, RestartCause::kThrottled, event.retry_after, event.message};
    case WatchErrorKind::kNone:
    case WatchErrorKind::kInternal:
    case WatchErrorKind::kOther:
      break;
  }
  if (!state.server_errors_since) state.server_errors_since = now;
  const bool relist = now - *state.server_errors_since >= kServerErrorPatience;
  return {relist, RestartCause::kServerError, event.retry_after, event.message};
}

Effects On(ReflectorState& state, const EventRead& read, const Moment& moment) {
  Effects effects;
  if (state.verdict) {  // what comes after an error is not looked at
    effects.next = Effects::Next::kEndStream;
    return effects;
  }
  const WatchEvent& event = read.event;
  if (event.type == WatchEventType::kError) {
    return EndStream(state, JudgeError(state, event, moment.now));
  }
  SignOfLife(state);
  state.version = std::max(state.version, event.version);
  if (event.type == WatchEventType::kBookmark) {
    effects.store = Effects::Store::kAdvance;
  } else if (event.type == WatchEventType::kDeleted) {
    effects.store = Effects::Store::kErase;
  } else {
    effects.store = Effects::Store::kUpsert;
  }
  return effects;
}

Effects On(ReflectorState& state, const EventLost& lost, const Moment&) {
  return EndStream(state, {true, RestartCause::kMalformed, Nanoseconds(0), lost.detail});
}

StreamVerdict JudgeFailure(const Error& error) {
  switch (error.code) {
    case ErrorCode::kExpired:
      return {true, RestartCause::kExpired, Nanoseconds(0), error.message};
    case ErrorCode::kInvalid:  // our version or our question is wrong: a list asks anew
    case ErrorCode::kTooLarge:
    case ErrorCode::kDataLoss:
    case ErrorCode::kInternal:
      return {true, RestartCause::kServerError, Nanoseconds(0), error.message};
    case ErrorCode::kTimeout:
      return {false, RestartCause::kIdle, Nanoseconds(0), error.message};
    case ErrorCode::kThrottled:
      return {false, RestartCause::kThrottled, Nanoseconds(0), error.message};
    case ErrorCode::kNotFound:
    case ErrorCode::kForbidden:  // a token that is being rotated says nothing about our version
    case ErrorCode::kExists:
    case ErrorCode::kConflict:
      return {false, RestartCause::kServerError, Nanoseconds(0), error.message};
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnknown:
    case ErrorCode::kCancelled:
      break;
  }
  return {false, RestartCause::kLost, Nanoseconds(0), error.message};
}

Effects On(ReflectorState& state, const StreamEnded& ended, const Moment& moment) {
  StreamVerdict verdict;
  if (state.verdict) {
    verdict = *std::exchange(state.verdict, std::nullopt);
  } else if (!ended.status) {
    verdict = JudgeFailure(ended.status.error());
  } else if (state.stream_had_event || moment.now - state.stream_began >= kShortStream) {
    SignOfLife(state);
    Effects effects = WatchAgain(moment);
    effects.restart = RestartCause::kEnded;
    return effects;
  } else {
    verdict = {false, RestartCause::kShort, Nanoseconds(0), "ended at once without an event"};
  }
  if (!state.failing_since) state.failing_since = moment.now;
  const bool hopeless = moment.now - *state.failing_since >= kLostPatience;
  if (hopeless) state.failing_since.reset();
  const Nanoseconds delay = std::max(NextBackoff(state, moment), verdict.at_least);
  Effects effects = verdict.relist || hopeless ? ListFromStart(state) : WatchAgain(moment);
  effects.delay = delay;
  effects.restart = verdict.cause;
  effects.detail = std::move(verdict.detail);
  return effects;
}

}  // namespace

std::string_view ToString(RestartCause cause) {
  return kCauseNames.at(static_cast<std::size_t>(cause));
}

std::vector<std::string> RestartCauses() { return {kCauseNames.begin(), kCauseNames.end()}; }

ReflectorEffects Step(ReflectorState& state, const ReflectorInput& input, const Moment& moment) {
  return std::visit([&](const auto& what) { return On(state, what, moment); }, input);
}

}  // namespace torchsoak::k8s
