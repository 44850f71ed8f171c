#pragma once
// YAML → JSON as Kubernetes reads it (YAML 1.1 by way of sigs.k8s.io/yaml), and stricter than it
// where readers of YAML disagree.
//
// Refused, each with the line: duplicate keys, keys that are no text, merge keys (<<), anchors and
// aliases, tags, a second document, more than 1 MiB, deeper than 50 levels, bytes that are not
// UTF-8, control characters and odd line breaks, NaN and infinity, directives, a key without its
// colon on the same line, and a text in quotes that goes on in the next line (yaml-cpp lets these
// through, kubectl does not or reads them differently). Everything here may be called from any
// thread.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/spec/load.h"

namespace torchsoak::spec {

/// The lines of a document, in its shape: a member's line is its key's. Owned by the document.
struct Lines {
  int line = 0;  ///< 1-based; 0: unknown
  std::map<std::string, Lines, std::less<>> members;
  std::vector<Lines> items;
};

struct YamlDocument {
  Json value;
  Lines lines;
};

/// One document, or the first thing that is wrong with it (field "" where there is none to name).
tl::expected<YamlDocument, FieldError> ParseYaml(std::string_view text);

/// What a scalar without quotes means: `no` is false, `010` is 8, `1e3` is 1000, `~` is null,
/// 2024-01-01 and everything else is text. A float that is a whole number becomes an integer, since
/// it travels as JSON. Nothing for NaN and infinity, which JSON does not have.
std::optional<Json> ReadPlainScalar(const std::string& text);

}  // namespace torchsoak::spec
