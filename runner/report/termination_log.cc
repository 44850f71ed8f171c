#include "runner/report/termination_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace torchsoak::runner {
namespace {

ErrorCode CodeOf(int error) {
  if (error == EACCES || error == EPERM || error == EROFS) return ErrorCode::kForbidden;
  if (error == ENOENT || error == ENOTDIR) return ErrorCode::kNotFound;
  return ErrorCode::kInternal;
}

}  // namespace

Expected<TerminationLog> TerminationLog::Open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    return Fail(CodeOf(errno), "opening " + path + " for the result: " + std::strerror(errno));
  }
  return TerminationLog(fd);
}

TerminationLog::TerminationLog(TerminationLog&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

TerminationLog& TerminationLog::operator=(TerminationLog&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

TerminationLog::~TerminationLog() {
  if (fd_ >= 0) ::close(fd_);
}

Status TerminationLog::Write(std::string_view message) {
  std::size_t done = 0;
  while (done < message.size()) {
    const ssize_t n =
        ::pwrite(fd_, message.data() + done, message.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      return Fail(CodeOf(errno), std::string("writing the result: ") + std::strerror(errno));
    }
    done += static_cast<std::size_t>(n);
  }
  if (::ftruncate(fd_, static_cast<off_t>(message.size())) != 0) {
    return Fail(CodeOf(errno), std::string("truncating the result: ") + std::strerror(errno));
  }
  return {};
}

}  // namespace torchsoak::runner
