#include "operator/k8s/auth/environment.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace torchsoak::k8s {
namespace {

constexpr std::size_t kLargestFile = 16U << 20U;

ErrorCode CodeOfErrno(int value) {
  if (value == ENOENT || value == ENOTDIR) return ErrorCode::kNotFound;
  if (value == EACCES || value == EPERM) return ErrorCode::kForbidden;
  return ErrorCode::kUnavailable;
}

Expected<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  // Opening a FIFO would block, a directory opens and then fails without a reason.
  const bool regular = std::filesystem::is_regular_file(path, error);
  if (!error && !regular) return Fail(ErrorCode::kUnavailable, path + " is not a regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int why = errno;
    return Fail(CodeOfErrno(why), "opening " + path + ": " + std::strerror(why));
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Fail(ErrorCode::kUnavailable, "reading " + path);
  if (static_cast<std::size_t>(file.gcount()) > kLargestFile) {
    return Fail(ErrorCode::kTooLarge, path + " has more than 16 MiB");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.shrink_to_fit();
  return text;
}

}  // namespace

Environment SystemEnvironment() {
  return {[](const std::string& name) -> std::optional<std::string> {
            const char* value = std::getenv(name.c_str());
            if (value == nullptr) return std::nullopt;
            return value;
          },
          [] {
            std::vector<std::string> all;
            for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
              all.emplace_back(*entry);
            }
            return all;
          },
          ReadFile};
}

}  // namespace torchsoak::k8s
