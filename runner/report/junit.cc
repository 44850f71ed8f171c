#include "runner/report/junit.h"

#include <cstdio>
#include <string_view>
#include <vector>

namespace torchsoak::runner {
namespace {

/// Text for an attribute or an element. What XML 1.0 cannot hold at all becomes a question mark.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return escaped;
}

std::string Attribute(const char* name, std::string_view value) {
  return std::string(" ") + name + "=\"" + Escape(value) + "\"";
}

struct Case {
  std::string name;
  std::string kind;  ///< "failure", "error", "skipped"; "" = passed
  std::string type;
  std::string message;
};

Case VerdictCase(const Json& report) {
  const std::string verdict = GetString(report, {"outcome", "verdict"});
  Case verdict_case{"verdict", verdict == "Failed" ? "failure" : "error",
                    GetString(report, {"outcome", "reason"}),
                    verdict + ": " + GetString(report, {"outcome", "message"})};
  if (verdict == "Passed") verdict_case.kind.clear();
  return verdict_case;
}

Case GateCase(const Json& gate) {
  const std::string result = GetString(gate, {"result"});
  const Json* user = Find(gate, {"user"});
  const bool asked = user != nullptr && user->is_boolean() && user->get<bool>();
  Case gate_case{GetString(gate, {"name"}), "", result, GetString(gate, {"message"})};
  const std::string limit = GetString(gate, {"limit"});
  if (gate_case.message.empty()) gate_case.message = GetString(gate, {"observed"});
  if (!limit.empty()) gate_case.message += " (limit " + limit + ")";
  if (result == "Failed") gate_case.kind = "failure";
  if (result == "NotEvaluated") gate_case.kind = asked ? "error" : "skipped";
  return gate_case;
}

std::string Render(const Case& one, const std::string& suite) {
  std::string xml = "  <testcase" + Attribute("classname", suite) + Attribute("name", one.name);
  const bool warned = one.type == "Warned";
  if (one.kind.empty() && !warned) return xml + "/>\n";
  xml += ">";
  if (warned) {
    xml += "<system-out>" + Escape("warning: " + one.message) + "</system-out>";
  } else {
    xml += "<" + one.kind + Attribute("message", one.message);
    if (one.kind != "skipped") xml += Attribute("type", one.type);
    xml += "/>";
  }
  return xml + "</testcase>\n";
}

double WallSeconds(const Json& report) {
  double sum = 0;
  const Json* timeline = Find(report, {"timeline"});
  if (timeline == nullptr || !timeline->is_object()) return sum;
  for (const auto& [phase, seconds] : timeline->items()) {
    if (seconds.is_number()) sum += seconds.get<double>();
  }
  return sum;
}

std::string Properties(const Json& report) {
  std::string xml = "  <properties>\n";
  const Json* metrics = Find(report, {"metrics"});
  for (const Json& metric : metrics != nullptr ? *metrics : Json::array()) {
    const std::string text = GetString(metric, {"text"});
    if (text.empty()) continue;
    const std::string name = GetString(metric, {"name"}) + " " + GetString(metric, {"statistic"});
    xml += "    <property" + Attribute("name", name) + Attribute("value", text) + "/>\n";
  }
  return xml + "  </properties>\n";
}

}  // namespace

std::string RenderJunit(const Json& report) {
  const std::string suite = "torchsoak." + GetString(report, {"test", "name"});
  std::vector<Case> cases = {VerdictCase(report)};
  const Json* gates = Find(report, {"gates"});
  for (const Json& gate : gates != nullptr ? *gates : Json::array()) {
    cases.push_back(GateCase(gate));
  }
  const auto count = [&](std::string_view kind) {
    int found = 0;
    for (const Case& one : cases) found += one.kind == kind ? 1 : 0;
    return std::to_string(found);
  };
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f", WallSeconds(report));
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite" +
                    Attribute("name", suite) + Attribute("tests", std::to_string(cases.size())) +
                    Attribute("failures", count("failure")) + Attribute("errors", count("error")) +
                    Attribute("skipped", count("skipped")) + Attribute("time", seconds) +
                    Attribute("timestamp", GetString(report, {"times", "started"})) + ">\n";
  xml += Properties(report);
  for (const Case& one : cases) xml += Render(one, suite);
  return xml + "</testsuite>\n";
}

}  // namespace torchsoak::runner
