// EncodeResult: from a RunResult to a termination message that fits. Keys are short because every
// byte counts; result_decode.cc is their other half.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/base/text.h"
#include "common/contract/result.h"

namespace torchsoak::contract {
namespace {

constexpr std::size_t kMaxSentence = 200;
constexpr std::size_t kMaxWord = 64;
constexpr std::size_t kMaxUid = 64;
constexpr std::size_t kMaxSha = 64;
constexpr std::size_t kMaxGpus = 16;

/// Texts of bounded length; remembers whether anything was cut.
class Cutter {
 public:
  std::string operator()(const std::string& text, std::size_t max) {
    cut_ = cut_ || text.size() > max;
    return Shorten(text, max);
  }
  void Note() { cut_ = true; }
  bool cut() const { return cut_; }

 private:
  bool cut_ = false;
};

/// A section's items as JSON texts, so that shedding one is subtraction.
class Section {
 public:
  Section(std::string name, bool list) : name_(std::move(name)), list_(list) {}

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  /// A section that is no list takes one item, its whole body.
  void Add(std::string item) {
    bytes_ += item.size();
    items_.push_back(std::move(item));
  }
  void DropAt(std::size_t at) {
    bytes_ -= items_[at].size();
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void Replace(std::size_t at, std::string item) {
    bytes_ = bytes_ - items_[at].size() + item.size();
    items_[at] = std::move(item);
  }
  void Clear() {
    items_.clear();
    bytes_ = 0;
  }

  /// Of Text(), without making it.
  std::size_t Bytes() const {
    if (items_.empty()) return 0;
    const std::size_t body = bytes_ + (list_ ? items_.size() + 1 : 0);  // brackets and commas
    return std::string_view("ts1 ").size() + name_.size() + std::to_string(body).size() + body +
           std::string_view("  01234567\n\n").size();
  }

  std::string Text() const {
    if (items_.empty()) return "";
    std::string body = list_ ? "[" : "";
    for (std::size_t i = 0; i < items_.size(); ++i) body += (i > 0 ? "," : "") + items_[i];
    if (list_) body += "]";
    return "ts1 " + name_ + " " + std::to_string(body.size()) + " " + Crc32Hex(name_ + " " + body) +
           "\n" + body + "\n";
  }

 private:
  std::string name_;
  bool list_;
  std::vector<std::string> items_;
  std::size_t bytes_ = 0;
};

void PutNumber(Json& json, const char* key, double value, Cutter& cut) {
  if (std::isfinite(value)) {
    json[key] = value;
  } else {
    cut.Note();
  }
}

std::string GateText(const Gate& gate, Cutter& cut) {
  Json json = {{"n", cut(gate.name, kMaxWord)}, {"r", ToString(gate.result)}};
  if (gate.user) json["u"] = true;
  if (!gate.observed.empty()) json["o"] = cut(gate.observed, kMaxWord);
  if (!gate.limit.empty()) json["l"] = cut(gate.limit, kMaxWord);
  if (!gate.message.empty()) json["m"] = cut(gate.message, kMaxSentence);
  return DumpJson(json);
}

std::string MetricText(const MetricValue& metric, Cutter& cut) {
  Json json = {{"n", cut(metric.name, kMaxWord)},
               {"s", ToString(metric.statistic)},
               {"c", std::max<std::int64_t>(metric.samples, 0)}};
  if (metric.value) PutNumber(json, "v", *metric.value, cut);
  return DumpJson(json);
}

std::string LeakText(const Leak& leak, Cutter& cut) {
  Json json = {{"n", cut(leak.name, kMaxWord)}, {"r", ToString(leak.result)}};
  PutNumber(json, "objects", leak.objects_per_step, cut);
  PutNumber(json, "bytes", leak.bytes_per_step, cut);
  PutNumber(json, "hour", leak.per_hour, cut);
  if (leak.first_step >= 0) json["first"] = leak.first_step;
  return DumpJson(json);
}

std::string PlaceText(const Place& place, Cutter& cut) {
  Json json = Json::object();
  if (place.gpus.size() > kMaxGpus) cut.Note();
  for (std::size_t i = 0; i < std::min(place.gpus.size(), kMaxGpus); ++i) {
    json["gpus"].push_back(cut(place.gpus[i], kMaxWord));
  }
  if (!place.gpu_model.empty()) json["model"] = cut(place.gpu_model, kMaxWord);
  if (!place.libtorch.empty()) json["libtorch"] = cut(place.libtorch, kMaxWord);
  if (!place.driver.empty()) json["driver"] = cut(place.driver, kMaxWord);
  return DumpJson(json);
}

/// Only what needs no escape in JSON, so that its length is known.
std::string Plain(std::string text) {
  std::erase_if(text, [](char c) { return c < '!' || c > '~' || c == '"' || c == '\\'; });
  return text;
}

Json CoreJson(const Core& core, Cutter& cut) {
  const auto count = [](std::int64_t n) { return std::max<std::int64_t>(n, 0); };
  const bool final = core.state == ResultState::kFinal;
  Json json = {{"v", 1},
               {"uid", Plain(cut(core.uid, kMaxUid))},
               {"run", count(core.run)},
               {"attempt", std::max<std::int64_t>(core.attempt, 1)},
               {"state", final ? "final" : "checkpoint"},
               {"measuring", core.measuring},
               {"steps", count(core.steps)}};
  if (core.percent) json["percent"] = std::clamp<std::int64_t>(*core.percent, 0, 100);
  if (core.partial) json["partial"] = true;
  if (core.report.frames > 0) {
    json["report"] = {{"frames", core.report.frames},
                      {"bytes", count(core.report.bytes)},
                      {"sha256", Plain(cut(core.report.sha256, kMaxSha))}};
  }
  if (final && core.outcome) {
    json["verdict"] = ToString(core.outcome->verdict);
    json["reason"] = ToString(core.outcome->reason);
    json["message"] = cut(core.outcome->message, kMaxSentence);
    json["exit"] = std::clamp(core.exit, 0, 255);
  }
  return json;
}

/// Core with the number of bytes behind it, which is how a reader sees that a whole section is
/// gone. JSON escapes may make the message longer than it was: it is shortened until all of it
/// fits.
EncodedResult EncodeCore(const Core& core, bool shed, std::size_t rest, std::size_t max_bytes) {
  Cutter cut;
  Json json = CoreJson(core, cut);
  json["rest"] = rest;
  EncodedResult out{"", shed || cut.cut()};
  for (std::size_t keep = kMaxSentence; keep > 0; keep = keep * 3 / 4) {
    if (keep < kMaxSentence && json.contains("message")) {
      json["message"] = std::string(Utf8Prefix(core.outcome->message, keep));
      out.shed = true;
    }
    if (out.shed) json["shed"] = true;
    Section section("core", false);
    section.Add(DumpJson(json));
    if (section.Bytes() > max_bytes) continue;
    out.message = section.Text();
    break;
  }
  return out;
}

/// How a gate in the message may be shed.
struct GateItem {
  enum class Kind { kBuiltin, kPassed, kPassedNameOnly, kOther };
  static constexpr std::array kShedOrder = {Kind::kBuiltin, Kind::kPassed, Kind::kPassedNameOnly,
                                            Kind::kOther};
  Kind kind = Kind::kOther;
  std::string name_only;  ///< of kPassed: what the operator needs for a Pass, and no more
};

GateItem ItemOf(const Gate& gate, Cutter& cut) {
  if (!gate.user && gate.result != GateResult::kFailed) return {GateItem::Kind::kBuiltin, ""};
  if (gate.result != GateResult::kPassed) return {};
  return {GateItem::Kind::kPassed, GateText({gate.name, gate.result, true, "", "", ""}, cut)};
}

/// What may be shed, in the order in which it stands in the message.
struct Parts {
  Section gates{"gates", true};
  Section metrics{"metrics", true};
  Section place{"place", false};
  Section leaks{"leaks", true};
  Section histogram{"histogram", false};
  std::vector<GateItem> items;  ///< one for each in `gates`

  std::size_t Bytes() const {
    return gates.Bytes() + metrics.Bytes() + place.Bytes() + leaks.Bytes() + histogram.Bytes();
  }
  std::string Text() const {
    return gates.Text() + metrics.Text() + place.Text() + leaks.Text() + histogram.Text();
  }

  /// Drops the next thing in the fixed order. False when nothing is left.
  bool Shed() {
    if (!histogram.empty()) {
      histogram.Clear();
    } else if (!leaks.empty()) {
      leaks.Clear();
    } else if (!metrics.empty()) {
      metrics.DropAt(metrics.size() - 1);
    } else if (!place.empty()) {
      place.Clear();
    } else {
      return ShedGate();
    }
    return true;
  }

 private:
  bool ShedGate() {
    for (; stage_ < GateItem::kShedOrder.size(); ++stage_) {
      const GateItem::Kind kind = GateItem::kShedOrder[stage_];
      const auto last = std::find_if(items.rbegin(), items.rend(),
                                     [&](const GateItem& item) { return item.kind == kind; });
      if (last == items.rend()) continue;
      const auto at = static_cast<std::size_t>(items.rend() - last) - 1;
      if (kind == GateItem::Kind::kPassed) {
        gates.Replace(at, last->name_only);
        last->kind = GateItem::Kind::kPassedNameOnly;
      } else {
        gates.DropAt(at);
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
      }
      return true;
    }
    return false;
  }

  std::size_t stage_ = 0;  ///< in kShedOrder: what is gone does not come back
};

Parts MakeParts(const RunResult& result, Cutter& cut) {
  Parts parts;
  for (const Gate& gate : result.gates) {
    parts.gates.Add(GateText(gate, cut));
    parts.items.push_back(ItemOf(gate, cut));
  }
  for (const MetricValue& metric : result.metrics) parts.metrics.Add(MetricText(metric, cut));
  const std::string place = PlaceText(result.place, cut);
  if (place != "{}") parts.place.Add(place);
  for (const Leak& leak : result.leaks) parts.leaks.Add(LeakText(leak, cut));
  if (!result.histogram.empty()) {
    const Json json = {{"of", cut(result.histogram_name, kMaxWord)}, {"h", result.histogram}};
    parts.histogram.Add(DumpJson(json));
  }
  return parts;
}

}  // namespace

EncodedResult EncodeResult(const RunResult& result, std::size_t max_bytes) {
  Cutter cut;
  Parts parts = MakeParts(result, cut);
  bool shed = cut.cut();
  // What core takes at least, so that it is not written for every row that goes.
  const std::size_t least = EncodeCore(result.core, false, 0, kMaxCoreBytes).message.size();
  do {
    const std::size_t rest = parts.Bytes();
    if (rest == 0 || rest + least <= max_bytes) {
      const std::size_t room = std::min(kMaxCoreBytes, max_bytes - rest);
      // A message is not shortened to save what may be shed: only when core alone is too long.
      EncodedResult core = EncodeCore(result.core, shed, rest, rest == 0 ? room : kMaxCoreBytes);
      if (!core.message.empty() && core.message.size() <= room) {
        core.message += parts.Text();
        return core;
      }
    }
    shed = true;
  } while (parts.Shed());
  return {"", true};  // max_bytes is below what the smallest core takes
}

}  // namespace torchsoak::contract
