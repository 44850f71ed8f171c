#include "runner/measure/process_use.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <string_view>

namespace torchsoak::runner {
namespace {

/// The number after "\n<label>"; the file's lines are "VmRSS:\t  1234 kB".
std::optional<std::int64_t> NumberAfter(std::string_view text, std::string_view label) {
  auto at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(" \t", at + label.size());
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> Kib(std::optional<std::int64_t> number) {
  return number ? std::optional(*number * 1024) : std::nullopt;
}

std::optional<std::int64_t> CountDescriptors() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (folder == nullptr) return std::nullopt;
  std::int64_t count = -1;  // the folder's own
  while (const dirent* entry = ::readdir(folder.get())) count += entry->d_name[0] != '.' ? 1 : 0;
  return count;
}

}  // namespace

ProcessUse ReadProcessUse() {
  ProcessUse use;
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return use;
  std::array<char, 8192> buffer;
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  if (size <= 0) return use;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  use.rss = Kib(NumberAfter(text, "\nVmRSS:"));
  use.anonymous = Kib(NumberAfter(text, "\nRssAnon:"));
  use.threads = NumberAfter(text, "\nThreads:");
  use.descriptors = CountDescriptors();
  return use;
}

}  // namespace torchsoak::runner
