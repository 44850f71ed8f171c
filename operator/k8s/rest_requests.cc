#include "operator/k8s/rest_requests.h"

#include <algorithm>
#include <optional>

namespace torchsoak::k8s {
namespace {

/// Reads `"a \"quoted\" text"` off the front of `rest`.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return text;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    text.push_back(rest[i]);
  }
  return std::nullopt;
}

void SkipAny(std::string_view& rest, std::string_view characters) {
  rest.remove_prefix(std::min(rest.find_first_not_of(characters), rest.size()));
}

}  // namespace

std::string ResourceTarget(const ResourceType& type, const ObjectKey& key,
                           std::string_view subresource, const http::Query& query) {
  std::vector<std::string> segments;
  if (type.group.empty()) {
    segments = {"api", type.version};
  } else {
    segments = {"apis", type.group, type.version};
  }
  if (!key.ns.empty()) {
    segments.emplace_back("namespaces");
    segments.push_back(key.ns);
  }
  segments.push_back(type.plural);
  if (!key.name.empty()) segments.push_back(key.name);
  if (!subresource.empty()) segments.emplace_back(subresource);
  return http::Target(segments, query);
}

Status CheckKey(const ObjectKey& key) {
  const auto bad = [](const std::string& part) {
    return part == "." || part == ".." || part.find_first_of("/%") != std::string::npos;
  };
  if (key.name.empty() || bad(key.name) || bad(key.ns)) {
    return Fail(ErrorCode::kInvalid, "\"" + key.ToString() + "\" does not name an object");
  }
  return {};
}

http::Query ListQuery(const ListOptions& options) {
  http::Query query;
  if (!options.label_selector.empty()) query.emplace_back("labelSelector", options.label_selector);
  if (!options.field_selector.empty()) query.emplace_back("fieldSelector", options.field_selector);
  if (options.limit > 0) query.emplace_back("limit", std::to_string(options.limit));
  if (!options.continue_token.empty()) query.emplace_back("continue", options.continue_token);
  return query;
}

http::Query WatchQuery(const ListOptions& options, const ResourceVersion& version,
                       int timeout_seconds) {
  ListOptions selectors;
  selectors.label_selector = options.label_selector;
  selectors.field_selector = options.field_selector;
  selectors.limit = 0;
  http::Query query = ListQuery(selectors);
  query.emplace_back("watch", "true");
  query.emplace_back("allowWatchBookmarks", "true");
  query.emplace_back("resourceVersion", version.text());
  query.emplace_back("timeoutSeconds", std::to_string(timeout_seconds));
  return query;
}

http::Query LogQuery(const LogOptions& options) {
  http::Query query;
  if (!options.container.empty()) query.emplace_back("container", options.container);
  if (options.tail_lines) query.emplace_back("tailLines", std::to_string(*options.tail_lines));
  if (options.limit_bytes > 0) {
    query.emplace_back("limitBytes", std::to_string(options.limit_bytes));
  }
  if (options.follow) query.emplace_back("follow", "true");
  return query;
}

http::Query WriteQuery(bool strict) {
  http::Query query{{"fieldManager", std::string(kFieldManager)}};
  if (strict) query.emplace_back("fieldValidation", "Strict");
  return query;
}

Json DeleteBody(const DeleteOptions& options) {
  Json body = {{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", {{"uid", options.uid}}},
               {"propagationPolicy", options.propagation}};
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  return body;
}

std::vector<std::string> ParseWarnings(std::string_view header) {
  std::vector<std::string> texts;
  while (true) {
    SkipAny(header, " ,\n");
    // "299 - " in front of the text: code and agent.
    const auto code_end = header.find(' ');
    if (code_end != 3) return texts;
    const auto agent_end = header.find(' ', code_end + 1);
    if (agent_end == std::string_view::npos) return texts;
    header.remove_prefix(agent_end + 1);
    auto text = TakeQuoted(header);
    if (!text) return texts;
    texts.push_back(std::move(*text));
    // An optional date follows.
    SkipAny(header, " ");
    TakeQuoted(header);
  }
}

}  // namespace torchsoak::k8s
