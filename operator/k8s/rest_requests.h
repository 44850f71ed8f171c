#pragma once
// The HTTP requests of the API server's verbs. Pure: objects in, requests out.

#include <string>
#include <string_view>
#include <vector>

#include "operator/http/transport.h"
#include "operator/http/url.h"
#include "operator/k8s/client.h"

namespace torchsoak::k8s {

/// Path and query of a collection ("" = all namespaces) or, with a name, of an object or one of its
/// subresources.
std::string ResourceTarget(const ResourceType& type, const ObjectKey& key,
                           std::string_view subresource = "", const http::Query& query = {});

/// kInvalid for a name or namespace that would change the meaning of the path ("", "..", "a/b").
Status CheckKey(const ObjectKey& key);

/// labelSelector, fieldSelector, limit, continue: only those that are set.
http::Query ListQuery(const ListOptions& options);

/// A watch from `version` with bookmarks; limit and continue do not apply.
http::Query WatchQuery(const ListOptions& options, const ResourceVersion& version,
                       int timeout_seconds);

http::Query LogQuery(const LogOptions& options);

/// fieldManager, and fieldValidation=Strict when `strict`.
http::Query WriteQuery(bool strict);

/// The body of a DELETE: UID precondition, propagation and grace.
Json DeleteBody(const DeleteOptions& options);

/// The texts of a `Warning` header: 299 - "text", with escapes undone. What is malformed ends the
/// reading.
std::vector<std::string> ParseWarnings(std::string_view header);

}  // namespace torchsoak::k8s
