// A watch stream in pieces, cut anywhere: the first byte is the size of a piece.

#include <string>
#include <vector>

#include "operator/k8s/watch/line_splitter.h"
#include "operator/k8s/watch/watch_event.h"
#include "tests/fuzz/fuzz.h"

using namespace torchsoak::k8s;
using torchsoak::fuzz::Require;

namespace {

constexpr std::size_t kMaxLine = 4096;

std::vector<std::string> Split(std::string_view text, std::size_t piece) {
  LineSplitter splitter(kMaxLine);
  std::vector<std::string> lines;
  const auto sink = [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  };
  while (!text.empty()) {
    const std::string_view part = text.substr(0, piece);
    if (splitter.Feed(part, sink) != LineSplitter::Result::kMore) break;
    text.remove_prefix(part.size());
  }
  return lines;
}

void CheckEvent(const std::string& line) {
  const auto event = DecodeWatchEvent(line);
  if (!event) {
    Require(event.error().code == torchsoak::ErrorCode::kDataLoss,
            "an event that is lost is kDataLoss");
    return;
  }
  if (event->type == WatchEventType::kError) return;
  Require(event->object.is_object(), "an event has its object");
  Require(IsUsableVersion(event->version), "an event has a usable version");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = torchsoak::fuzz::Text(data + 1, size - 1);
  const std::vector<std::string> lines = Split(text, text.size() + 1);
  Require(lines == Split(text, std::size_t{data[0]} + 1),
          "where the stream is cut does not matter");
  for (const std::string& line : lines) {
    Require(line.find('\n') == std::string::npos && line.size() <= kMaxLine, "a line is a line");
    CheckEvent(line);
  }
  LineSplitter stopped(kMaxLine);
  stopped.Feed(text, [](std::string_view) { return false; });
  return 0;
}
