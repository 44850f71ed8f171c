#include "common/contract/report_frames.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "common/base/bytes.h"

namespace torchsoak::contract {
namespace {

constexpr std::size_t kFrameText = 8000;
constexpr std::size_t kFrameBytes = kFrameText / 4 * 3;
constexpr std::int64_t kMaxFrames = (kMaxReportGzip + kFrameBytes - 1) / kFrameBytes;

struct Frame {
  std::int64_t number = 0;
  std::int64_t of = 0;
  std::string bytes;
};

/// Takes digits and the character behind them off the front; -1 when they are not there.
std::int64_t TakeNumber(std::string_view& text, char end) {
  std::int64_t value = -1;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(at - text.data());
  if (error != std::errc() || length >= text.size() || *at != end || value < 0) return -1;
  text.remove_prefix(length + 1);
  return value;
}

/// Nothing for another kind of line and for a frame that is damaged.
std::optional<Frame> ReadFrame(std::string_view line) {
  if (!line.starts_with(kFramePrefix)) return std::nullopt;
  line.remove_prefix(kFramePrefix.size());
  Frame frame;
  frame.number = TakeNumber(line, '/');
  frame.of = TakeNumber(line, ' ');
  if (frame.number < 1 || frame.number > frame.of || line.size() < 9) return std::nullopt;
  const std::string_view crc = line.substr(0, 8);
  const std::string_view text = line.substr(9);
  if (line[8] != ' ' || text.size() > kFrameText || Crc32Hex(text) != crc) return std::nullopt;
  auto bytes = Base64Decode(text);
  if (!bytes) return std::nullopt;
  frame.bytes = std::move(*bytes);
  return frame;
}

}  // namespace

Expected<FramedReport> FrameReport(std::string_view json) {
  if (json.size() > kMaxReportJson) {
    return Fail(ErrorCode::kTooLarge, "the report is over 16 MiB of JSON");
  }
  const std::string gz = Gzip(json);
  if (gz.size() > kMaxReportGzip) {
    return Fail(ErrorCode::kTooLarge, "the report is over 600 KiB when packed");
  }
  FramedReport out;
  const std::size_t frames = (gz.size() + kFrameBytes - 1) / kFrameBytes;
  for (std::size_t i = 0; i < frames; ++i) {
    const std::string text =
        Base64Encode(std::string_view(gz).substr(i * kFrameBytes, kFrameBytes));
    out.lines.push_back(std::string(kFramePrefix) + std::to_string(i + 1) + "/" +
                        std::to_string(frames) + " " + Crc32Hex(text) + " " + text);
  }
  out.ref.frames = static_cast<std::int64_t>(frames);
  out.ref.bytes = static_cast<std::int64_t>(gz.size());
  out.ref.sha256 = Sha256Hex(gz);
  return out;
}

Expected<std::string> UnframeReport(const std::vector<std::string>& lines,
                                    const ReportRef& expected) {
  const auto lost = [](const std::string& what) { return Fail(ErrorCode::kDataLoss, what); };
  if (expected.frames < 1 || expected.frames > kMaxFrames) {
    return lost("a report of " + std::to_string(expected.frames) + " frames is not possible");
  }
  std::vector<std::optional<std::string>> parts(static_cast<std::size_t>(expected.frames));
  for (const std::string& line : lines) {
    std::optional<Frame> frame = ReadFrame(line);
    if (!frame || frame->of != expected.frames) continue;
    parts[static_cast<std::size_t>(frame->number - 1)] = std::move(frame->bytes);
  }
  std::string gz;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i]) {
      return lost("report frame " + std::to_string(i + 1) + " of " +
                  std::to_string(expected.frames) + " is missing or damaged");
    }
    gz += *parts[i];
  }
  if (static_cast<std::int64_t>(gz.size()) != expected.bytes) {
    return lost("the report has " + std::to_string(gz.size()) + " bytes, " +
                std::to_string(expected.bytes) + " were announced");
  }
  if (Sha256Hex(gz) != expected.sha256) return lost("the report's sha256 is not the announced one");
  return gz;
}

}  // namespace torchsoak::contract
