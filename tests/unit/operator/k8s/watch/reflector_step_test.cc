#include "operator/k8s/watch/reflector_step.h"

#include <gtest/gtest.h>

#include <set>

namespace torchsoak::k8s {
namespace {

using Effects = ReflectorEffects;
using Next = ReflectorEffects::Next;
using StoreDo = ReflectorEffects::Store;
using namespace std::chrono_literals;

constexpr BootTime kStart = 100s;

Moment At(BootTime now, double random = 0) { return {now, random}; }

WatchEvent Change(WatchEventType type, const char* version) {
  WatchEvent event;
  event.type = type;
  event.version = ResourceVersion(version);
  return event;
}

WatchEvent ErrorOf(WatchErrorKind kind, std::chrono::seconds retry_after = 0s) {
  WatchEvent event;
  event.type = WatchEventType::kError;
  event.error = kind;
  event.retry_after = retry_after;
  return event;
}

/// A state that has listed at 50 and whose watch is open since kStart.
ReflectorState Watching() {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  Step(state, PageRead{ResourceVersion("50"), ""}, At(kStart));
  Step(state, StreamOpened{}, At(kStart));
  return state;
}

Effects End(ReflectorState& state, const Status& status, BootTime now) {
  return Step(state, StreamEnded{status}, At(now));
}

Status Failed(ErrorCode code) { return Fail(code, "why"); }

TEST(ReflectorStep, BeginsWithAPagedListWithoutWaiting) {
  ReflectorState state;
  const Effects effects = Step(state, Started{}, At(kStart));
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_EQ(effects.limit, 500);
  EXPECT_EQ(effects.token, "");
  EXPECT_EQ(effects.delay, 0ns);
}

TEST(ReflectorStep, FollowsContinueTokensAndReplacesOnlyAfterTheLastPage) {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  Effects effects = Step(state, PageRead{ResourceVersion("50"), "t1"}, At(kStart));
  EXPECT_EQ(effects.store, StoreDo::kKeepPage);
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_EQ(effects.token, "t1");
  EXPECT_EQ(effects.limit, 500);
  EXPECT_TRUE(state.version.empty());
  effects = Step(state, PageRead{ResourceVersion("50"), ""}, At(kStart));
  EXPECT_EQ(effects.store, StoreDo::kReplace);
  EXPECT_EQ(effects.next, Next::kWatch);
  EXPECT_EQ(effects.delay, 0ns);
  EXPECT_EQ(state.version.text(), "50");
}

TEST(ReflectorStep, AsksForARandomTimeoutBetween300And600Seconds) {
  std::set<int> seen;
  for (const double random : {0.0, 0.25, 0.5, 0.999999}) {
    ReflectorState state;
    Step(state, Started{}, At(kStart));
    seen.insert(
        Step(state, PageRead{ResourceVersion("5"), ""}, At(kStart, random)).timeout_seconds);
  }
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(*seen.begin(), 300);
  EXPECT_EQ(*seen.rbegin(), 600);
}

TEST(ReflectorStep, NeverWatchesFromAnEmptyOrZeroVersion) {
  for (const char* version : {"", "0", "abc"}) {
    ReflectorState state;
    Step(state, Started{}, At(kStart));
    const Effects effects = Step(state, PageRead{ResourceVersion(version), ""}, At(kStart));
    EXPECT_EQ(effects.next, Next::kList) << version;
    EXPECT_EQ(effects.store, StoreDo::kDropPages);
    EXPECT_GE(effects.delay, 800ms);
    EXPECT_EQ(effects.restart, RestartCause::kListFailed);
  }
}

TEST(ReflectorStep, ExpiredOnPageThreeListsOnceWithoutLimitAtOnce) {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  Step(state, PageRead{ResourceVersion("50"), "t1"}, At(kStart));
  Step(state, PageRead{ResourceVersion("50"), "t2"}, At(kStart));
  Effects effects = Step(state, ListFailed{{ErrorCode::kExpired, "410"}}, At(kStart));
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_EQ(effects.store, StoreDo::kDropPages);
  EXPECT_EQ(effects.limit, 0);
  EXPECT_EQ(effects.token, "");
  EXPECT_EQ(effects.delay, 0ns);
  EXPECT_EQ(effects.restart, RestartCause::kExpired);
  effects = Step(state, PageRead{ResourceVersion("60"), ""}, At(kStart));
  EXPECT_EQ(effects.store, StoreDo::kReplace);
  EXPECT_EQ(state.version.text(), "60");
  EXPECT_FALSE(state.full_list);
}

TEST(ReflectorStep, FullListThatFailsGoesBackToPagesWithBackoff) {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  Step(state, PageRead{ResourceVersion("50"), "t1"}, At(kStart));
  Step(state, ListFailed{{ErrorCode::kExpired, "410"}}, At(kStart));
  const Effects effects = Step(state, ListFailed{{ErrorCode::kTooLarge, "big"}}, At(kStart));
  EXPECT_EQ(effects.limit, 500);
  EXPECT_GE(effects.delay, 800ms);
}

TEST(ReflectorStep, RepeatedContinueTokenIsAFailureNotALoop) {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  Step(state, PageRead{ResourceVersion("50"), "t1"}, At(kStart));
  const Effects effects = Step(state, PageRead{ResourceVersion("50"), "t1"}, At(kStart));
  EXPECT_EQ(effects.restart, RestartCause::kListFailed);
  EXPECT_EQ(effects.token, "");
}

TEST(ReflectorStep, DiscardsAListOlderThanWhatItHasSeen) {
  ReflectorState state = Watching();
  Step(state, EventRead{Change(WatchEventType::kBookmark, "70")}, At(kStart));
  End(state, Failed(ErrorCode::kExpired), kStart + 5s);
  Effects effects = Step(state, PageRead{ResourceVersion("60"), ""}, At(kStart + 6s));
  EXPECT_EQ(effects.store, StoreDo::kDropPages);
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_EQ(effects.restart, RestartCause::kOlderList);
  EXPECT_FALSE(effects.progress) << "a server that went back for good must be noticed";
  EXPECT_EQ(state.version.text(), "70");
  effects = Step(state, PageRead{ResourceVersion("70"), ""}, At(kStart + 8s));
  EXPECT_EQ(effects.store, StoreDo::kReplace);
}

TEST(ReflectorStep, EventsMoveTheVersionForwardOnly) {
  ReflectorState state = Watching();
  EXPECT_EQ(Step(state, EventRead{Change(WatchEventType::kAdded, "55")}, At(kStart)).store,
            StoreDo::kUpsert);
  EXPECT_EQ(state.version.text(), "55");
  EXPECT_EQ(Step(state, EventRead{Change(WatchEventType::kDeleted, "60")}, At(kStart)).store,
            StoreDo::kErase);
  EXPECT_EQ(Step(state, EventRead{Change(WatchEventType::kBookmark, "100")}, At(kStart)).store,
            StoreDo::kAdvance);
  EXPECT_EQ(state.version.text(), "100");
  Step(state, EventRead{Change(WatchEventType::kModified, "99")}, At(kStart));
  EXPECT_EQ(state.version.text(), "100");
}

TEST(ReflectorStep, CleanEndWatchesOnFromTheLastVersionWithoutWaiting) {
  ReflectorState state = Watching();
  Step(state, EventRead{Change(WatchEventType::kModified, "58")}, At(kStart));
  const Effects effects = End(state, {}, kStart + 400s);
  EXPECT_EQ(effects.next, Next::kWatch);
  EXPECT_EQ(effects.delay, 0ns);
  EXPECT_EQ(effects.restart, RestartCause::kEnded);
  EXPECT_EQ(state.version.text(), "58");
}

TEST(ReflectorStep, VeryShortStreamWithoutEventIsAFailure) {
  ReflectorState state = Watching();
  Effects effects = End(state, {}, kStart + 999ms);
  EXPECT_EQ(effects.next, Next::kWatch);
  EXPECT_EQ(effects.restart, RestartCause::kShort);
  EXPECT_EQ(effects.delay, 800ms);
  state = Watching();
  EXPECT_EQ(End(state, {}, kStart + 1s).restart, RestartCause::kEnded);
  state = Watching();
  Step(state, EventRead{Change(WatchEventType::kBookmark, "51")}, At(kStart));
  EXPECT_EQ(End(state, {}, kStart + 1ms).delay, 0ns);
}

struct StreamCase {
  ErrorCode code;
  Next next;
  RestartCause cause;
};

TEST(ReflectorStep, StreamFailures) {
  const StreamCase cases[] = {
      {ErrorCode::kExpired, Next::kList, RestartCause::kExpired},
      {ErrorCode::kInvalid, Next::kList, RestartCause::kServerError},
      {ErrorCode::kDataLoss, Next::kList, RestartCause::kServerError},
      {ErrorCode::kTimeout, Next::kWatch, RestartCause::kIdle},
      {ErrorCode::kUnavailable, Next::kWatch, RestartCause::kLost},
      {ErrorCode::kCancelled, Next::kWatch, RestartCause::kLost},
      {ErrorCode::kThrottled, Next::kWatch, RestartCause::kThrottled},
      {ErrorCode::kForbidden, Next::kWatch, RestartCause::kServerError},
      {ErrorCode::kNotFound, Next::kWatch, RestartCause::kServerError},
  };
  for (const StreamCase& test : cases) {
    ReflectorState state = Watching();
    const Effects effects = End(state, Failed(test.code), kStart + 10s);
    EXPECT_EQ(effects.next, test.next) << ToString(test.code);
    EXPECT_EQ(effects.restart, test.cause) << ToString(test.code);
    EXPECT_EQ(effects.delay, 800ms) << ToString(test.code);
    EXPECT_EQ(state.version.text(), "50");
  }
}

struct EventCase {
  WatchErrorKind kind;
  std::chrono::seconds retry_after;
  Next next;
  RestartCause cause;
  std::chrono::nanoseconds delay;
};

TEST(ReflectorStep, ErrorEventsUnderHttp200) {
  const EventCase cases[] = {
      {WatchErrorKind::kExpired, 0s, Next::kList, RestartCause::kExpired, 800ms},
      {WatchErrorKind::kVersionTooLarge, 5s, Next::kList, RestartCause::kServerError, 5s},
      {WatchErrorKind::kThrottled, 0s, Next::kWatch, RestartCause::kThrottled, 800ms},
      {WatchErrorKind::kThrottled, 9s, Next::kWatch, RestartCause::kThrottled, 9s},
      {WatchErrorKind::kInternal, 0s, Next::kWatch, RestartCause::kServerError, 800ms},
      {WatchErrorKind::kOther, 0s, Next::kWatch, RestartCause::kServerError, 800ms},
  };
  for (const EventCase& test : cases) {
    ReflectorState state = Watching();
    Effects effects = Step(state, EventRead{ErrorOf(test.kind, test.retry_after)}, At(kStart));
    EXPECT_EQ(effects.next, Next::kEndStream);
    EXPECT_EQ(effects.store, StoreDo::kNothing);
    effects = End(state, Failed(ErrorCode::kCancelled), kStart + 1s);
    EXPECT_EQ(effects.next, test.next);
    EXPECT_EQ(effects.restart, test.cause);
    EXPECT_EQ(effects.delay, test.delay);
    EXPECT_EQ(state.version.text(), "50");
  }
}

TEST(ReflectorStep, InternalErrorsForAMinuteEndInAList) {
  ReflectorState state = Watching();
  Step(state, EventRead{ErrorOf(WatchErrorKind::kInternal)}, At(kStart));
  EXPECT_EQ(End(state, {}, kStart).next, Next::kWatch);
  Step(state, StreamOpened{}, At(kStart + 59s));
  Step(state, EventRead{ErrorOf(WatchErrorKind::kInternal)}, At(kStart + 59s));
  EXPECT_EQ(End(state, {}, kStart + 59s).next, Next::kWatch);
  Step(state, StreamOpened{}, At(kStart + 60s));
  Step(state, EventRead{ErrorOf(WatchErrorKind::kInternal)}, At(kStart + 60s));
  EXPECT_EQ(End(state, {}, kStart + 60s).next, Next::kList);
}

TEST(ReflectorStep, AnEventBetweenForgivesInternalErrors) {
  ReflectorState state = Watching();
  Step(state, EventRead{ErrorOf(WatchErrorKind::kInternal)}, At(kStart));
  End(state, {}, kStart);
  Step(state, StreamOpened{}, At(kStart + 50s));
  Step(state, EventRead{Change(WatchEventType::kBookmark, "60")}, At(kStart + 50s));
  Step(state, EventRead{ErrorOf(WatchErrorKind::kInternal)}, At(kStart + 80s));
  EXPECT_EQ(End(state, {}, kStart + 80s).next, Next::kWatch);
}

TEST(ReflectorStep, LostEventListsAgainAndLooksAtNothingBehindIt) {
  ReflectorState state = Watching();
  EXPECT_EQ(Step(state, EventLost{"unknown type"}, At(kStart)).next, Next::kEndStream);
  const Effects ignored = Step(state, EventRead{Change(WatchEventType::kAdded, "99")}, At(kStart));
  EXPECT_EQ(ignored.store, StoreDo::kNothing);
  EXPECT_EQ(ignored.next, Next::kEndStream);
  EXPECT_EQ(state.version.text(), "50");
  const Effects effects = End(state, Failed(ErrorCode::kCancelled), kStart + 1s);
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_EQ(effects.restart, RestartCause::kMalformed);
}

TEST(ReflectorStep, BacksOffFrom800MillisecondsTo30Seconds) {
  ReflectorState state = Watching();
  const std::chrono::milliseconds expected[] = {800ms,   1600ms,  3200ms,  6400ms,
                                                12800ms, 25600ms, 30000ms, 30000ms};
  BootTime now = kStart;
  for (const auto delay : expected) {
    const Effects effects = End(state, Failed(ErrorCode::kUnavailable), now);
    EXPECT_EQ(effects.delay, delay);
    EXPECT_EQ(effects.next, Next::kWatch);
    now += delay;
    Step(state, StreamOpened{}, At(now));
  }
}

TEST(ReflectorStep, JitterAddsUpToAllOfTheDelay) {
  for (const double random : {0.0, 0.5, 0.99}) {
    ReflectorState state = Watching();
    const Effects effects =
        Step(state, StreamEnded{Failed(ErrorCode::kUnavailable)}, At(kStart, random));
    const auto expected = 800e6 * (1 + random);
    EXPECT_NEAR(static_cast<double>(effects.delay.count()), expected, 1e3);
  }
}

TEST(ReflectorStep, TwoHealthyMinutesResetTheBackoff) {
  ReflectorState state = Watching();
  End(state, Failed(ErrorCode::kUnavailable), kStart);
  End(state, Failed(ErrorCode::kUnavailable), kStart + 1s);
  Step(state, StreamOpened{}, At(kStart + 2s));
  EXPECT_EQ(End(state, Failed(ErrorCode::kUnavailable), kStart + 120s).delay, 3200ms);
  EXPECT_EQ(End(state, Failed(ErrorCode::kUnavailable), kStart + 120s + 121s).delay, 800ms);
}

TEST(ReflectorStep, RefusedConnectionsKeepTheVersionForTenMinutesThenList) {
  ReflectorState state = Watching();
  EXPECT_EQ(End(state, Failed(ErrorCode::kUnavailable), kStart).next, Next::kWatch);
  EXPECT_EQ(End(state, Failed(ErrorCode::kUnavailable), kStart + 599s).next, Next::kWatch);
  EXPECT_EQ(End(state, Failed(ErrorCode::kUnavailable), kStart + 600s).next, Next::kList);
}

TEST(ReflectorStep, ThrottledListIsCountedAsSuch) {
  ReflectorState state;
  Step(state, Started{}, At(kStart));
  const Effects effects = Step(state, ListFailed{{ErrorCode::kThrottled, "429"}}, At(kStart));
  EXPECT_EQ(effects.restart, RestartCause::kThrottled);
  EXPECT_EQ(effects.next, Next::kList);
  EXPECT_TRUE(effects.progress);
}

TEST(ReflectorStep, EveryCauseHasItsName) {
  const auto causes = RestartCauses();
  EXPECT_EQ(std::set<std::string>(causes.begin(), causes.end()).size(), causes.size());
  EXPECT_EQ(causes.back(), ToString(RestartCause::kOlderList));
}

}  // namespace
}  // namespace torchsoak::k8s
