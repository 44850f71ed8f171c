#include "operator/runtime/prefix_lines.h"

#include <algorithm>
#include <utility>

namespace torchsoak::runtime {

PrefixLines::PrefixLines(std::string prefix, Limits limits)
    : prefix_(std::move(prefix)), limits_(limits) {}

bool PrefixLines::Feed(std::string_view piece) {
  while (!piece.empty() && !full_) {
    const std::size_t end = piece.find('\n');
    Extend(piece.substr(0, end));
    if (end == std::string_view::npos) break;
    EndLine();
    piece.remove_prefix(end + 1);
  }
  return !full_;
}

void PrefixLines::End() {
  if (!full_ && !line_.empty()) EndLine();
}

void PrefixLines::Extend(std::string_view part) {
  if (skipping_) return;
  if (line_.size() + part.size() > limits_.line) {
    // Only a line that would have been kept is a loss.
    line_.append(part.substr(0, prefix_.size()));
    truncated_ = truncated_ || line_.compare(0, prefix_.size(), prefix_) == 0;
    skipping_ = true;
  } else {
    line_.append(part);
    const std::size_t known = std::min(line_.size(), prefix_.size());
    skipping_ = line_.compare(0, known, prefix_, 0, known) != 0;
  }
  if (skipping_) line_ = {};
}

void PrefixLines::EndLine() {
  std::string line = std::exchange(line_, {});
  const bool skip = std::exchange(skipping_, false);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (skip || line.size() < prefix_.size()) return;
  if (kept_ + line.size() > limits_.total) {
    full_ = true;
    truncated_ = true;
    return;
  }
  kept_ += line.size();
  lines_.push_back(std::move(line));
}

std::vector<std::string> PrefixLines::TakeLines() { return std::exchange(lines_, {}); }

}  // namespace torchsoak::runtime
