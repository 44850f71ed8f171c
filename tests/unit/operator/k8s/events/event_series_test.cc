#include "operator/k8s/events/event_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/k8s/meta.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = EventCall::Kind;

constexpr BootTime kNow = 1000s;
const WallTime kWall{std::chrono::seconds(1'767'323'045)};

Event MakeEvent(const std::string& uid = "u1", const std::string& reason = "Finished") {
  Event event;
  event.regarding = {"torchsoak.dev/v1alpha1", "StressTest", {"n", "soak"}, uid};
  event.reason = reason;
  event.action = "Judge";
  event.note = "passed";
  return event;
}

class EventSeriesTest : public ::testing::Test {
 protected:
  std::vector<EventCall> Add(const Event& event, std::chrono::seconds after = 0s) {
    return series_.Add(event, kWall + after, kNow + after);
  }

  EventSeries series_{{"torchsoak.dev/controller", "pod-1"}};
};

TEST_F(EventSeriesTest, FirstIsCreatedWithoutSeries) {
  const auto calls = Add(MakeEvent());
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(calls[0].kind, Kind::kCreate);
  EXPECT_EQ(calls[0].key.ns, "n");
  EXPECT_EQ(calls[0].key.name.rfind("soak.", 0), 0U);
  const Json& body = calls[0].body;
  EXPECT_EQ(body, Json({{"apiVersion", "events.k8s.io/v1"},
                        {"kind", "Event"},
                        {"metadata", {{"name", calls[0].key.name}, {"namespace", "n"}}},
                        {"eventTime", FormatMicroTime(kWall)},
                        {"reportingController", "torchsoak.dev/controller"},
                        {"reportingInstance", "pod-1"},
                        {"type", "Normal"},
                        {"reason", "Finished"},
                        {"action", "Judge"},
                        {"note", "passed"},
                        {"regarding",
                         {{"apiVersion", "torchsoak.dev/v1alpha1"},
                          {"kind", "StressTest"},
                          {"namespace", "n"},
                          {"name", "soak"},
                          {"uid", "u1"}}}}));
}

TEST_F(EventSeriesTest, SecondMakesItASeriesOfTwo) {
  const auto first = Add(MakeEvent());
  const auto second = Add(MakeEvent(), 5s);
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].kind, Kind::kPatch);
  EXPECT_EQ(second[0].key, first[0].key);
  EXPECT_EQ(second[0].body,
            Json({{"series", {{"count", 2}, {"lastObservedTime", FormatMicroTime(kWall + 5s)}}}}));
  EXPECT_EQ(GetString(second[0].whole, {"eventTime"}), FormatMicroTime(kWall));
  EXPECT_EQ(GetInt(second[0].whole, {"series", "count"}), 2);
}

TEST_F(EventSeriesTest, ThousandEqualEventsAreThreeCalls) {
  std::size_t calls = 0;
  for (int i = 0; i < 1000; ++i) calls += Add(MakeEvent()).size();
  EXPECT_EQ(calls, 2U);
  EXPECT_THAT(series_.Tick(kNow + 359s), IsEmpty());
  const auto finished = series_.Tick(kNow + 360s);
  ASSERT_THAT(finished, SizeIs(1));
  EXPECT_EQ(GetInt(finished[0].body, {"series", "count"}), 1000);
  EXPECT_EQ(series_.Size(), 0U);
  EXPECT_EQ(Add(MakeEvent(), 400s)[0].kind, Kind::kCreate) << "then it is a new event";
}

TEST_F(EventSeriesTest, LongSeriesIsRefreshedEveryHalfHour) {
  Add(MakeEvent());
  Add(MakeEvent());
  std::size_t calls = 0;
  for (auto at = 60s; at <= 3600s; at += 60s) {
    calls += Add(MakeEvent(), at).size();
    calls += series_.Tick(kNow + at).size();
  }
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(series_.Size(), 1U);
}

TEST_F(EventSeriesTest, SilentSingleEventIsForgottenWithoutACall) {
  Add(MakeEvent());
  EXPECT_THAT(series_.Tick(kNow + 1h), IsEmpty());
  EXPECT_EQ(series_.Size(), 0U);
}

TEST_F(EventSeriesTest, WhatDiffersIsAnotherEvent) {
  Event related = MakeEvent();
  related.related = ObjectReference{"v1", "Pod", {"n", "p"}, "pu"};
  Event warning = MakeEvent();
  warning.level = EventLevel::kWarning;
  Event action = MakeEvent();
  action.action = "Start";
  Event note = MakeEvent();
  note.note = "another sentence";
  for (const Event& event :
       {MakeEvent(), MakeEvent("u2"), MakeEvent("u1", "Started"), related, warning, action, note}) {
    const auto calls = Add(event);
    ASSERT_THAT(calls, SizeIs(1));
    EXPECT_EQ(calls[0].kind, Kind::kCreate);
  }
  EXPECT_EQ(series_.Size(), 7U);
}

TEST_F(EventSeriesTest, NamesAreUniqueWithinAMicrosecondAndFit) {
  Event long_name = MakeEvent();
  long_name.regarding.key.name = std::string(229, 'a') + "." + std::string(20, 'b');
  const auto first = Add(long_name);
  long_name.reason = "Other";
  const auto second = Add(long_name);
  EXPECT_NE(first[0].key.name, second[0].key.name);
  EXPECT_LE(first[0].key.name.size(), 253U);
  EXPECT_EQ(first[0].key.name.find(".."), std::string::npos);
}

TEST_F(EventSeriesTest, ClusterScopedObjectsReportInDefault) {
  Event event = MakeEvent();
  event.regarding.key.ns.clear();
  const auto calls = Add(event);
  EXPECT_EQ(calls[0].key.ns, "default");
  EXPECT_EQ(Find(calls[0].body, {"regarding", "namespace"}), nullptr);
}

TEST_F(EventSeriesTest, CutsToTheServersLimitsWithoutBreakingUtf8) {
  Event event = MakeEvent();
  event.reason = std::string(200, 'r');
  event.note = std::string(1023, 'x') + "€€";
  const auto calls = Add(event);
  EXPECT_EQ(GetString(calls[0].body, {"reason"}).size(), 128U);
  EXPECT_EQ(GetString(calls[0].body, {"note"}), std::string(1023, 'x'));
}

TEST_F(EventSeriesTest, IsBoundedAndFinishesTheQuietestFirst) {
  Add(MakeEvent("busy"));
  Add(MakeEvent("busy"), 1s);
  Add(MakeEvent("busy"), 2s);
  for (std::size_t i = 1; i < EventSeries::kMaxSeries; ++i) {
    Add(MakeEvent("u" + std::to_string(i + 1000)), 10s);
  }
  EXPECT_EQ(series_.Size(), EventSeries::kMaxSeries);
  const auto calls = Add(MakeEvent("one more"), 11s);
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(GetInt(calls[0].body, {"series", "count"}), 3);
  EXPECT_EQ(calls[1].kind, Kind::kCreate);
  EXPECT_EQ(series_.Size(), EventSeries::kMaxSeries);
}

TEST_F(EventSeriesTest, FlushTellsWhatTheServerDoesNotKnow) {
  Add(MakeEvent("a"));
  for (int i = 0; i < 5; ++i) Add(MakeEvent("b"));
  const auto calls = series_.Flush(kNow);
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_EQ(GetInt(calls[0].body, {"series", "count"}), 5);
  EXPECT_THAT(series_.Flush(kNow), IsEmpty());
}

}  // namespace
}  // namespace torchsoak::k8s
