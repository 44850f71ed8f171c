#include "operator/k8s/auth/token_file.h"

#include <algorithm>
#include <utility>

namespace torchsoak::k8s {
namespace {

// client-go's period of one minute less its leeway of 10 s (transport/token_source.go).
constexpr std::chrono::seconds kKeep{50};

}  // namespace

Expected<std::string> BearerHeader(const std::string& token, const std::string& origin) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = token.find_first_not_of(kSpace);
  if (first == std::string::npos) return Fail(ErrorCode::kInvalid, origin + ": the token is empty");
  const auto last = token.find_last_not_of(kSpace);
  std::string trimmed = token.substr(first, last - first + 1);
  const bool printable = std::all_of(trimmed.begin(), trimmed.end(),
                                     [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (!printable) {
    return Fail(ErrorCode::kInvalid, origin + ": the token has spaces or unprintable characters");
  }
  return "Bearer " + std::move(trimmed);
}

TokenFile::TokenFile(std::string path, Environment environment, Clock& clock)
    : path_(std::move(path)), environment_(std::move(environment)), clock_(clock) {}

Expected<http::Headers> TokenFile::Get(std::stop_token) {
  const std::lock_guard lock(mutex_);
  const BootTime now = clock_.Boot();
  if (header_.empty() || now - read_at_ >= kKeep) {
    auto header = environment_.read_file(path_).and_then(
        [this](const std::string& text) { return BearerHeader(text, path_); });
    if (header) {
      header_ = std::move(*header);
      read_at_ = now;
    } else if (header_.empty()) {
      return Wrap("reading the token", header.error());
    }
  }
  return http::Headers{{"authorization", header_}};
}

bool TokenFile::Reject(BootTime request_start) {
  const std::lock_guard lock(mutex_);
  // A newer one is there already: the refused request had an older one.
  if (read_at_ > request_start) return true;
  header_.clear();
  return true;
}

}  // namespace torchsoak::k8s
