#pragma once
// Writing to a pipe that somebody may have stopped reading: never for ever.

#include <chrono>
#include <string_view>

namespace torchsoak::runner {

/// Writes all of `text`. False when the file is broken, or not all was taken within `patience`.
/// Uses no stdio and no lock, so that it works while another thread hangs.
bool WriteAll(int fd, std::string_view text, std::chrono::milliseconds patience);

/// Writes `line` and a newline if that is possible without waiting, else drops it. At most 4096
/// bytes with the newline; longer lines are dropped. For progress, which nobody must wait for.
bool TryWriteLine(int fd, std::string_view line);

}  // namespace torchsoak::runner
