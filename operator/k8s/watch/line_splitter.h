#pragma once
// Cuts a stream that arrives in pieces, cut anywhere, into lines.
//
// Bytes only: a piece may end inside a UTF-8 character. One stream per instance; not thread-safe.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace torchsoak::k8s {

class LineSplitter {
 public:
  static constexpr std::size_t kMaxLine = 16U << 20U;

  enum class Result {
    kMore,     ///< all of the piece was taken
    kStopped,  ///< the sink said false; the rest of the piece is dropped
    kTooLong,  ///< a line exceeds the limit: the stream cannot be trusted any more
  };

  explicit LineSplitter(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  /// Hands every line that is complete to `sink`, without its "\n" or "\r\n"; blank ones are left
  /// out. The view is valid during the call. What follows the last "\n" waits for the next piece;
  /// at the end of a stream it is half a line and of no use.
  Result Feed(std::string_view piece, const std::function<bool(std::string_view line)>& sink);

 private:
  const std::size_t max_line_;
  std::string rest_;
};

}  // namespace torchsoak::k8s
