#pragma once
// What this process holds, as the kernel counts it.

#include <cstdint>
#include <optional>

namespace torchsoak::runner {

/// Whatever cannot be read stays empty.
struct ProcessUse {
  std::optional<std::int64_t> rss;          ///< bytes: resident memory
  std::optional<std::int64_t> anonymous;    ///< bytes: its part without files and shared memory
  std::optional<std::int64_t> descriptors;  ///< open ones, without the one that counts them
  std::optional<std::int64_t> threads;
};

/// From /proc/self; takes some 50 µs.
ProcessUse ReadProcessUse();

}  // namespace torchsoak::runner
