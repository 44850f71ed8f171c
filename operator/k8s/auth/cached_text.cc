#include "operator/k8s/auth/cached_text.h"

#include <utility>

namespace torchsoak::k8s {
namespace {

constexpr std::chrono::seconds kKeep{60};

}  // namespace

CachedText::CachedText(std::string path, Environment environment, Clock& clock)
    : path_(std::move(path)), environment_(std::move(environment)), clock_(clock) {}

Expected<std::string> CachedText::Get() {
  const std::lock_guard lock(mutex_);
  const BootTime now = clock_.Boot();
  if (!text_.empty() && now - read_at_ < kKeep) return text_;
  auto text = environment_.read_file(path_);
  if (text && !text->empty()) {
    text_ = std::move(*text);
  } else if (text_.empty()) {
    if (!text) return tl::unexpected(text.error());
    return Fail(ErrorCode::kInvalid, path_ + " is empty");
  }
  read_at_ = now;
  return text_;
}

}  // namespace torchsoak::k8s
