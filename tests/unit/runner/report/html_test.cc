#include "runner/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t Count(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(Html, IsCompleteInOneFile) {
  const std::string page = RenderHtml(R"({"schema":"torchsoak/v1"})");
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr(R"(id="data">{"schema":"torchsoak/v1"}</script>)"));
  for (const char* part : {"@STYLE@", "@SCRIPT@", "@DATA@", "<link", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
  EXPECT_THAT(page, HasSubstr("function show()"));
  EXPECT_EQ(Count(page, "http://") + Count(page, "https://"), 1U) << "SVG's namespace alone";
}

TEST(Html, NothingInTheReportBecomesMarkup) {
  const std::string page =
      RenderHtml(R"({"test":{"name":"</script><script>alert(1)</script>@SCRIPT@<!--"}})");
  EXPECT_EQ(Count(page, "</script>"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr(R"(\u003c/script>\u003cscript>alert(1))"));
  EXPECT_THAT(page, HasSubstr(R"(@SCRIPT@\u003c!--)")) << "a placeholder in the data stays data";
}

}  // namespace
}  // namespace torchsoak::runner
