#include "operator/http/url.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace torchsoak::http {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsUnreserved(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

tl::unexpected<Error> Bad(std::string_view url, std::string_view why) {
  return Fail(ErrorCode::kInvalid, "server address \"" + std::string(url) + "\": " +
                                       std::string(why) + "; expected https://host[:port][/path]");
}

Expected<int> ParsePort(std::string_view url, std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) {
    return Bad(url, "the port must be a number from 1 to 65535");
  }
  return port;
}

bool IsHostName(std::string_view host) {
  return !host.empty() &&
         std::all_of(host.begin(), host.end(), [](char c) { return IsUnreserved(c) && c != '~'; });
}

bool IsIpv6(std::string_view host) {
  return host.find(':') != std::string_view::npos &&
         std::all_of(host.begin(), host.end(),
                     [](unsigned char c) { return std::isxdigit(c) != 0 || c == ':' || c == '.'; });
}

// "host", "host:port", "[v6]" or "[v6]:port" into `out`.
Status ParseAuthority(std::string_view url, std::string_view authority, ServerUrl& out) {
  std::string_view host = authority;
  std::string_view rest;
  const bool bracketed = authority.starts_with('[');
  if (bracketed) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return Bad(url, "a \"]\" is missing");
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
  } else if (const auto colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (bracketed ? !IsIpv6(host) : !IsHostName(host)) {
    return Bad(url, "the host is not a name or an address (IPv6 needs brackets)");
  }
  if (!rest.empty()) {
    if (rest.front() != ':') return Bad(url, "unexpected text after the host");
    const auto port = ParsePort(url, rest.substr(1));
    if (!port) return tl::unexpected(port.error());
    out.port = *port;
  }
  out.host = std::string(host);
  std::transform(out.host.begin(), out.host.end(), out.host.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {};
}

bool IsPathCharacter(char c) {
  return IsUnreserved(c) || std::string_view("%/:@!$&'()*+,;=").find(c) != std::string_view::npos;
}

}  // namespace

std::string Escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back(kHexDigits[byte >> 4U]);
    out.push_back(kHexDigits[byte & 0xFU]);
  }
  return out;
}

std::string Target(const std::vector<std::string>& segments, const Query& query) {
  std::string out;
  for (const auto& segment : segments) out.append("/").append(Escape(segment));
  if (out.empty()) out = "/";
  char separator = '?';
  for (const auto& [key, value] : query) {
    out.push_back(separator);
    out.append(Escape(key)).append("=").append(Escape(value));
    separator = '&';
  }
  return out;
}

Expected<ServerUrl> ParseServerUrl(std::string_view text) {
  // What follows may print the text, and that must never be a password.
  if (text.find('@') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalid, "server address: user names and passwords are not supported");
  }
  ServerUrl out;
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return Bad(text, "there is no scheme");
  out.scheme = std::string(text.substr(0, scheme_end));
  if (out.scheme != "https" && out.scheme != "http") return Bad(text, "unknown scheme");
  out.port = out.scheme == "https" ? 443 : 80;

  std::string_view rest = text.substr(scheme_end + 3);
  const auto slash = rest.find('/');
  const std::string_view authority = rest.substr(0, slash);
  if (const auto ok = ParseAuthority(text, authority, out); !ok) return tl::unexpected(ok.error());
  if (slash == std::string_view::npos) return out;

  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!std::all_of(path.begin(), path.end(), IsPathCharacter)) {
    return Bad(text, "the path has characters that do not belong there");
  }
  out.path = std::string(path);
  return out;
}

}  // namespace torchsoak::http
