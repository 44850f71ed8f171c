#pragma once
// A run as a page that is complete in one file. Pure.

#include <string>
#include <string_view>

namespace torchsoak::runner {

/// `report_json`: report.json, schema torchsoak/v1. Styles, script and data are in the page and
/// nothing is loaded; its own policy forbids it. The script (runner/report/page) draws what it
/// finds and leaves out the rest; no content of the report can become markup.
std::string RenderHtml(std::string_view report_json);

}  // namespace torchsoak::runner
