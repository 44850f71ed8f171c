#include "operator/k8s/events/event_series.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "operator/k8s/meta.h"

namespace torchsoak::k8s {
namespace {

// Limits of the API server's validation (pkg/apis/core/validation/events.go).
constexpr std::size_t kLongestWord = 128;
constexpr std::size_t kLongestNote = 1024;
constexpr std::size_t kLongestNamePrefix = 230;

/// At most `longest` bytes, not ending inside a UTF-8 character.
std::string Cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end));
}

/// "<name>.<hex nanoseconds>" as client-go names events; `salt` fills in for the nanoseconds that
/// the clock does not have.
ObjectKey NameFor(const ObjectReference& regarding, WallTime wall, unsigned salt) {
  std::string prefix = regarding.key.name.substr(0, kLongestNamePrefix);
  while (!prefix.empty() && (prefix.back() == '.' || prefix.back() == '-')) prefix.pop_back();
  const auto nanoseconds = static_cast<long long>(wall.time_since_epoch().count()) * 1000;
  std::array<char, 24> suffix{};
  std::snprintf(suffix.data(), suffix.size(), ".%llx", nanoseconds + salt % 1000);
  const std::string ns = regarding.key.ns.empty() ? "default" : regarding.key.ns;
  return {ns, prefix + suffix.data()};
}

Json ToJson(const ObjectReference& reference) {
  Json json = {{"apiVersion", reference.api_version},
               {"kind", reference.kind},
               {"name", reference.key.name},
               {"uid", reference.uid}};
  if (!reference.key.ns.empty()) json["namespace"] = reference.key.ns;
  return json;
}

}  // namespace

const ResourceType& EventType() {
  static const ResourceType type{"events.k8s.io", "v1", "events", "Event"};
  return type;
}

std::vector<EventCall> EventSeries::Add(const Event& event, WallTime wall, BootTime now) {
  Key key{event.regarding, event.related, event.level, event.reason, event.action, event.note};
  const auto it = series_.find(key);
  std::vector<EventCall> calls;
  if (it == series_.end()) {
    MakeRoom(now, calls);
    calls.push_back(Create(event, std::move(key), wall, now));
    return calls;
  }
  Series& series = it->second;
  ++series.count;
  series.last_wall = wall;
  series.last_seen = now;
  if (series.count == 2) calls.push_back(Patch(series, now));
  return calls;
}

EventCall EventSeries::Create(const Event& event, Key key, WallTime wall, BootTime now) {
  const ObjectKey name = NameFor(event.regarding, wall, created_++);
  Series series;
  series.name = name;
  series.object = Body(event, name, wall);
  series.last_wall = wall;
  series.last_seen = now;
  series.last_sent = now;
  EventCall call{EventCall::Kind::kCreate, name, series.object, Json()};
  series_.emplace(std::move(key), std::move(series));
  return call;
}

std::vector<EventCall> EventSeries::Tick(BootTime now) {
  std::vector<EventCall> calls;
  for (auto it = series_.begin(); it != series_.end();) {
    Series& series = it->second;
    const bool over = now - series.last_seen >= kFinishAfter;
    const bool untold = series.count > series.sent;
    if (untold && (over || now - series.last_sent >= kRefreshEvery)) {
      calls.push_back(Patch(series, now));
    }
    it = over ? series_.erase(it) : std::next(it);
  }
  return calls;
}

std::vector<EventCall> EventSeries::Flush(BootTime now) {
  std::vector<EventCall> calls;
  for (auto& [key, series] : series_) {
    if (series.count > series.sent) calls.push_back(Patch(series, now));
  }
  return calls;
}

EventCall EventSeries::Patch(Series& series, BootTime now) {
  series.sent = series.count;
  series.last_sent = now;
  EventCall call;
  call.kind = EventCall::Kind::kPatch;
  call.key = series.name;
  call.body["series"] = {{"count", series.count},
                         {"lastObservedTime", FormatMicroTime(series.last_wall)}};
  call.whole = series.object;
  call.whole.update(call.body);
  return call;
}

void EventSeries::MakeRoom(BootTime now, std::vector<EventCall>& calls) {
  if (series_.size() < kMaxSeries) return;
  const auto quietest = std::min_element(
      series_.begin(), series_.end(),
      [](const auto& a, const auto& b) { return a.second.last_seen < b.second.last_seen; });
  if (quietest->second.count > quietest->second.sent) {
    calls.push_back(Patch(quietest->second, now));
  }
  series_.erase(quietest);
}

Json EventSeries::Body(const Event& event, const ObjectKey& name, WallTime wall) const {
  Json body = {{"apiVersion", EventType().ApiVersion()},
               {"kind", EventType().kind},
               {"metadata", {{"name", name.name}, {"namespace", name.ns}}},
               {"eventTime", FormatMicroTime(wall)},
               {"reportingController", Cut(source_.controller, kLongestWord)},
               {"reportingInstance", Cut(source_.instance, kLongestWord)},
               {"type", event.level == EventLevel::kWarning ? "Warning" : "Normal"},
               {"reason", Cut(event.reason, kLongestWord)},
               {"action", Cut(event.action, kLongestWord)},
               {"note", Cut(event.note, kLongestNote)},
               {"regarding", ToJson(event.regarding)}};
  if (event.related) body["related"] = ToJson(*event.related);
  return body;
}

}  // namespace torchsoak::k8s
