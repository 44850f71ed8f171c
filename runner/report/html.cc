#include "runner/report/html.h"

namespace torchsoak::embedded {
// Made by cmake/Embed.cmake from runner/report/page.
extern const char kReportHtml[];
extern const unsigned long kReportHtml_size;
extern const char kReportCss[];
extern const unsigned long kReportCss_size;
extern const char kFormatJs[];
extern const unsigned long kFormatJs_size;
extern const char kDomJs[];
extern const unsigned long kDomJs_size;
extern const char kChartsJs[];
extern const unsigned long kChartsJs_size;
extern const char kSectionsJs[];
extern const unsigned long kSectionsJs_size;
}  // namespace torchsoak::embedded

namespace torchsoak::runner {
namespace {

/// In JSON a '<' stands only inside of strings, where it may be written as an escape: nothing in
/// the data can end the script element that holds it.
std::string WithoutMarkup(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void Replace(std::string& page, std::string_view name, std::string_view text) {
  const auto at = page.find(name);
  if (at != std::string::npos) page.replace(at, name.size(), text);
}

}  // namespace

std::string RenderHtml(std::string_view report_json) {
  using namespace embedded;  // NOLINT(google-build-using-namespace): names of this file
  std::string page(kReportHtml, kReportHtml_size);
  std::string script(kFormatJs, kFormatJs_size);
  script.append(kDomJs, kDomJs_size);
  script.append(kChartsJs, kChartsJs_size);
  script.append(kSectionsJs, kSectionsJs_size);
  Replace(page, "@STYLE@", {kReportCss, kReportCss_size});
  Replace(page, "@SCRIPT@", script);
  Replace(page, "@DATA@", WithoutMarkup(report_json));  // last: it may hold any text
  return page;
}

}  // namespace torchsoak::runner
