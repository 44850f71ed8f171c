#include "operator/k8s/auth/impersonation.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace torchsoak::k8s {
namespace {

// Escaped as the API server's un-escaping expects for keys that are no header names; "/" is common
// ("example.org/project").
std::string HeaderKey(const std::string& key) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_') {
      out.push_back(static_cast<char>(std::tolower(byte)));
    } else {
      out.push_back('%');
      out.push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 0xFU]);
    }
  }
  return out;
}

Status Add(http::Headers& headers, const std::string& name,
           const std::vector<std::string>& values) {
  std::string lines;
  for (const auto& value : values) {
    const bool printable = std::all_of(value.begin(), value.end(),
                                       [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
    if (value.empty() || !printable) {
      return Fail(ErrorCode::kInvalid, name + ": empty, or has unprintable characters");
    }
    lines += (lines.empty() ? "" : "\n") + value;
  }
  if (!lines.empty()) headers[name] = lines;
  return {};
}

}  // namespace

Expected<http::Headers> ImpersonationHeaders(const KubeUser& user) {
  http::Headers headers;
  if (user.as.empty()) {
    if (user.as_groups.empty() && user.as_uid.empty() && user.as_extra.empty()) return headers;
    return Fail(ErrorCode::kInvalid, "as-groups, as-uid and as-user-extra need \"as\"");
  }
  auto ok = Add(headers, "impersonate-user", {user.as});
  if (ok && !user.as_uid.empty()) ok = Add(headers, "impersonate-uid", {user.as_uid});
  if (ok) ok = Add(headers, "impersonate-group", user.as_groups);
  for (const auto& [key, values] : user.as_extra) {
    if (ok) ok = Add(headers, "impersonate-extra-" + HeaderKey(key), values);
  }
  if (!ok) return tl::unexpected(ok.error());
  return headers;
}

Expected<http::Headers> Impersonation::Get(std::stop_token stop) {
  auto headers = inner_->Get(std::move(stop));
  if (headers) headers->insert(headers_.begin(), headers_.end());
  return headers;
}

}  // namespace torchsoak::k8s
