#include "runner/report/output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace torchsoak::runner {
namespace {

/// A pipe that poll calls writable takes this much without blocking (PIPE_BUF on Linux).
constexpr std::size_t kAtomic = 4096;

bool Writable(int fd, std::chrono::milliseconds patience) {
  pollfd entry{fd, POLLOUT, 0};
  int ready = 0;
  do {
    ready = ::poll(&entry, 1, static_cast<int>(patience.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && (entry.revents & (POLLERR | POLLNVAL)) == 0;
}

}  // namespace

bool WriteAll(int fd, std::string_view text, std::chrono::milliseconds patience) {
  if (fd < 0) return false;  // poll would wait for it in vain
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!text.empty()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() < 0 || !Writable(fd, left)) return false;
    const ssize_t n = ::write(fd, text.data(), std::min(text.size(), kAtomic));
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool TryWriteLine(int fd, std::string_view line) {
  if (line.size() + 1 > kAtomic || !Writable(fd, std::chrono::milliseconds(0))) return false;
  std::string text(line);
  text += '\n';
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace torchsoak::runner
