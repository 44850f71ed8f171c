// The first byte says what the rest is: lines of a log, or bytes that are framed and come back.

#include "common/contract/report_frames.h"

#include <cstdio>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "tests/fuzz/fuzz.h"

using namespace torchsoak::contract;
using torchsoak::fuzz::Require;

namespace {

/// Frames made of foreign base64 with a good checksum, so that the checks behind it are reached.
std::string Frame(std::string_view text, int number, int of) {
  const std::string crc = torchsoak::Crc32Hex(text);
  return std::string(kFramePrefix) + std::to_string(number) + "/" + std::to_string(of) + " " + crc +
         " " + std::string(text);
}

void ReadLines(std::string_view text, int frames) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.emplace_back(line);
    lines.push_back(Frame(line, static_cast<int>(lines.size()) % 3 + 1, frames));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  const auto gz = UnframeReport(lines, {frames, 20, std::string(64, 'a')});
  Require(!gz, "nobody guesses a sha256");
}

void FrameAndBack(std::string_view text) {
  auto framed = FrameReport(text);
  Require(framed.has_value(), "small reports fit");
  const auto gz = UnframeReport(framed->lines, framed->ref);
  Require(gz && torchsoak::Gunzip(*gz, kMaxReportJson) == text, "a framed report comes back");
  torchsoak::Gunzip(text, 1U << 20U).has_value();
  framed->ref.bytes += 1;
  Require(!UnframeReport(framed->lines, framed->ref), "a wrong size is seen");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = torchsoak::fuzz::Text(data + 1, size - 1);
  if ((data[0] & 1U) != 0) {
    FrameAndBack(text);
  } else {
    ReadLines(text, static_cast<int>(data[0] >> 1U) % 4);
  }
  return 0;
}
