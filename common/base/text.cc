#include "common/base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

namespace torchsoak {
namespace {

constexpr std::size_t kMaxQuoted = 64;
constexpr std::size_t kMaxCompared = 64;  // longer words are no misspelling of ours

bool IsContinuation(char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80U; }

/// Length of the well-formed character at `at` (RFC 3629, table 3-7 of Unicode); 0 when there is
/// none.
std::size_t Utf8Length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<std::uint8_t>(text[at + i]) : std::uint8_t{0};
  };
  const auto in = [&](std::size_t i, int low, int high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return in(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const int low = first == 0xE0 ? 0xA0 : 0x80;   // no overlong forms
    const int high = first == 0xED ? 0x9F : 0xBF;  // no surrogates
    return in(1, low, high) && in(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const int low = first == 0xF0 ? 0x90 : 0x80;
    const int high = first == 0xF4 ? 0x8F : 0xBF;  // no more than U+10FFFF
    return in(1, low, high) && in(2, 0x80, 0xBF) && in(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string_view Utf8Prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  // At most three steps: a character has no more continuation bytes, and foreign text may be all.
  for (int i = 0; i < 3 && end > 0 && IsContinuation(text[end]); ++i) --end;
  return text.substr(0, end);
}

std::string Shorten(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return std::string(text);
  if (max_bytes < 3) return std::string(Utf8Prefix(text, max_bytes));
  return std::string(Utf8Prefix(text, max_bytes - 3)) + "...";
}

std::size_t FirstBadUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = Utf8Length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string Quote(std::string_view text) {
  const std::string shown = Shorten(text, kMaxQuoted);
  std::string out = "\"";
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t length = Utf8Length(shown, at);
    const auto first = static_cast<unsigned char>(shown[at]);
    if (length == 0 || std::iscntrl(first) != 0) {
      out += '?';
      ++at;
      continue;
    }
    out.append(shown, at, length);
    at += length;
  }
  return out + "\"";
}

std::size_t EditDistance(std::string_view a, std::string_view b) {
  if (a.size() > kMaxCompared || b.size() > kMaxCompared) return std::max(a.size(), b.size());
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t same = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, same});
    }
  }
  return row[b.size()];
}

}  // namespace torchsoak
