#include "operator/k8s/watch/line_splitter.h"

namespace torchsoak::k8s {
namespace {

// A rare giant line must not pin its memory for the life of the stream.
constexpr std::size_t kKeepCapacity = 1U << 20U;

bool Emit(std::string_view line, const std::function<bool(std::string_view)>& sink) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return true;
  return sink(line);
}

}  // namespace

LineSplitter::Result LineSplitter::Feed(std::string_view piece,
                                        const std::function<bool(std::string_view line)>& sink) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (rest_.size() + part.size() > max_line_) return Result::kTooLong;
    if (end == std::string_view::npos) {
      rest_.append(part);
      return Result::kMore;
    }
    piece.remove_prefix(end + 1);
    if (rest_.empty()) {
      if (!Emit(part, sink)) return Result::kStopped;
      continue;
    }
    rest_.append(part);
    const bool go_on = Emit(rest_, sink);
    rest_.clear();
    if (rest_.capacity() > kKeepCapacity) rest_.shrink_to_fit();
    if (!go_on) return Result::kStopped;
  }
  return Result::kMore;
}

}  // namespace torchsoak::k8s
