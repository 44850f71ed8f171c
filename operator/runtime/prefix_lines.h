#pragma once
// Picks the lines that begin with a prefix out of a stream cut anywhere. Pure; not thread-safe.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchsoak::runtime {

class PrefixLines {
 public:
  struct Limits {
    std::size_t line = 1U << 20U;
    std::size_t total = 2U << 20U;
  };

  PrefixLines(std::string prefix, Limits limits);

  /// Takes the next piece. False when the total limit is reached: nothing more will be kept.
  bool Feed(std::string_view piece);

  /// The stream is over: a last line without "\n" counts as a line.
  void End();

  /// A line was over its limit and left out, or the total was reached.
  bool truncated() const { return truncated_; }

  /// The total limit was reached.
  bool full() const { return full_; }

  const std::vector<std::string>& lines() const { return lines_; }
  std::vector<std::string> TakeLines();

 private:
  void Extend(std::string_view part);
  void EndLine();

  const std::string prefix_;
  const Limits limits_;
  std::vector<std::string> lines_;
  std::string line_;       ///< the start of the line under way, as long as it may be kept
  bool skipping_ = false;  ///< the line under way is of no interest
  bool full_ = false;
  bool truncated_ = false;
  std::size_t kept_ = 0;
};

}  // namespace torchsoak::runtime
