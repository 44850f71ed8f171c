#pragma once
// Building request targets ("/api/v1/pods?limit=500") and taking server addresses apart.
//
// Pure text functions: thread-safe, nothing is looked up. A mis-spelt or badly escaped query key is
// ignored by the API server without a word, so everything that goes into a URL goes through here.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::http {

/// Percent-escapes everything but RFC 3986's unreserved characters (letters, digits, "-._~"), "/"
/// included: fit for one path segment, a query key or a query value.
std::string Escape(std::string_view text);

/// Ordered query parameters.
using Query = std::vector<std::pair<std::string, std::string>>;

/// "/a/b?x=1": segments and query escaped; no segments give "/", an empty query no "?".
std::string Target(const std::vector<std::string>& segments, const Query& query = {});

struct ServerUrl {
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< lower case; IPv6 literals without brackets
  int port = 0;        ///< never 0: the scheme's default when none is given
  std::string path;    ///< "" or "/prefix" without a slash at the end
};

/// Takes "https://host[:port][/prefix]" apart. kInvalid for any other scheme, user names or
/// passwords, queries, a bad port, or characters that do not belong there.
Expected<ServerUrl> ParseServerUrl(std::string_view text);

}  // namespace torchsoak::http
