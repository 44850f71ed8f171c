#pragma once
// Foreign text made safe to show and to send.

#include <cstddef>
#include <string>
#include <string_view>

namespace torchsoak {

/// The longest start of `text` that is at most `max_bytes` long and does not end inside a UTF-8
/// character.
std::string_view Utf8Prefix(std::string_view text, std::size_t max_bytes);

/// Utf8Prefix, with "..." at the end when something was cut off (still at most `max_bytes`).
std::string Shorten(std::string_view text, std::size_t max_bytes);

/// The byte at which `text` stops being UTF-8; text.size() when all of it is.
std::size_t FirstBadUtf8(std::string_view text);

/// In double quotes for a message: control characters and bytes that are not UTF-8 shown as ?, at
/// most 64 bytes of it.
std::string Quote(std::string_view text);

/// Insertions, deletions and replacements from `a` to `b`; letters of either case are equal. Texts
/// of more than 64 bytes are simply far apart.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// For "did you mean": the candidate with the fewest edits, or "" when more than a third of the
/// letters and one differ. `candidates` is any range of things like string_view.
template <typename Range>
std::string Nearest(std::string_view text, const Range& candidates) {
  std::string best;
  std::size_t least = text.size() / 3 + 2;
  for (const auto& candidate : candidates) {
    const std::size_t distance = EditDistance(text, candidate);
    if (distance < least) {
      least = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace torchsoak
