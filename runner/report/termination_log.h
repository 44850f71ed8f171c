#pragma once
// The file whose content the kubelet hands to the operator when the container ends.
//
// It is bind-mounted, so it is rewritten in place (pwrite, then truncate) and never renamed: a
// rename would leave the kubelet with the old file. Killed between the two calls, the new message
// stands in front of a tail of the old one; the contract's sections prove themselves, so a reader
// drops the tail. Not thread-safe.

#include <string>
#include <string_view>

#include "common/base/error.h"

namespace torchsoak::runner {

class TerminationLog {
 public:
  /// Opens, or makes, the file at `path`. kForbidden, kNotFound or kInternal with the reason.
  static Expected<TerminationLog> Open(const std::string& path);

  TerminationLog(TerminationLog&& other) noexcept;
  TerminationLog& operator=(TerminationLog&& other) noexcept;
  ~TerminationLog();

  /// Makes `message` the whole content.
  Status Write(std::string_view message);

 private:
  explicit TerminationLog(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace torchsoak::runner
