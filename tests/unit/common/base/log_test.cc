#include "common/base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace torchsoak {
namespace {

/// The lines written while `body` ran.
template <typename Body>
std::vector<std::string> Lines(LogLevel least, Body body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  ConfigureLog(ends[1], least);
  std::string text;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
  });
  body();
  ConfigureLog(2, LogLevel::kInfo);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Log, OneObjectALineWhateverIsInIt) {
  const auto lines = Lines(LogLevel::kInfo, [] {
    Log(LogLevel::kDebug, "not shown");
    Log(LogLevel::kInfo, "line\nbreak \"quoted\" \xFF", {{"pod", "p\n1"}, {"n", 3}});
    Log(LogLevel::kError, "plain");
  });
  ASSERT_EQ(lines.size(), 2U);
  const auto first = ParseJson(lines[0]);
  ASSERT_TRUE(first) << lines[0];
  EXPECT_EQ(GetString(*first, {"level"}), "info");
  EXPECT_EQ(GetString(*first, {"pod"}), "p\n1");
  EXPECT_EQ(GetInt(*first, {"n"}), 3);
  EXPECT_EQ(GetString(*first, {"time"}).size(), 27U);
  EXPECT_TRUE(lines[0].starts_with("{\"time\":\"2")) << "time, level, msg come first";
  EXPECT_EQ(GetString(*ParseJson(lines[1]), {"msg"}), "plain");
}

TEST(Log, LinesOfSeveralThreadsStayWhole) {
  const auto lines = Lines(LogLevel::kDebug, [] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 200; ++i) Log(LogLevel::kWarning, std::string(500, 'x'));
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  ASSERT_EQ(lines.size(), 800U);
  for (const std::string& line : lines) ASSERT_TRUE(ParseJson(line)) << line;
}

}  // namespace
}  // namespace torchsoak
