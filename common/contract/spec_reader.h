#pragma once
// Typed reads from a spec that remember the first thing that was wrong. Private to ParseSpec.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/duration.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/base/text.h"

namespace torchsoak::contract {

/// A word of the CRD's enum and the C++ value it stands for.
template <typename E>
using Word = std::pair<std::string_view, E>;

template <typename E>
std::string_view NameOf(E value, std::span<const Word<E>> words) {
  for (const auto& [name, meaning] : words) {
    if (meaning == value) return name;
  }
  return words.front().first;
}

/// Reads the members of one object. A missing member leaves `out` alone; a wrong one sets the error
/// and leaves `out` alone. Children share their parent's error, which must outlive them; the
/// document must too.
class SpecReader {
 public:
  SpecReader(const Json& object, std::string path, std::optional<Error>& error)
      : object_(&object), path_(std::move(path)), error_(&error) {}

  /// The object under `key`; an empty one when it is missing.
  SpecReader Child(std::string_view key);

  /// The object at `index` of the list under `key`, which must be there.
  SpecReader Item(std::string_view key, std::size_t index);

  bool Has(std::string_view key) const { return Member(key) != nullptr; }

  void Int(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t& out);
  void Int(std::string_view key, std::int64_t low, std::int64_t high,
           std::optional<std::int64_t>& out);
  void Bool(std::string_view key, bool& out);
  void Text(std::string_view key, std::string& out);
  void Duration(std::string_view key, std::optional<std::chrono::milliseconds>& out);
  void Duration(std::string_view key, std::chrono::milliseconds& out);

  /// A number that is written as text: "0.001", "1e-3". Inclusive bounds.
  void Number(std::string_view key, double low, double high, double& out);

  template <typename E>
  void Choice(std::string_view key, std::span<const Word<E>> words, E& out) {
    std::string text;
    Text(key, text);
    if (text.empty() && !Has(key)) return;
    for (const auto& [name, meaning] : words) {
      if (name == text) {
        out = meaning;
        return;
      }
    }
    Wrong(key, Quote(text) + " is not known to this version");
  }

  template <typename Use>
  void EachKey(const Use& use) const {
    for (const auto& [key, value] : object_->items()) use(key);
  }

  /// Records "path.key: what", unless something was wrong before.
  void Wrong(std::string_view key, std::string_view what);

  const Json* Member(std::string_view key) const { return Find(*object_, {key}); }
  const std::string& path() const { return path_; }

 private:
  const Json* object_;
  std::string path_;
  std::optional<Error>* error_;
};

}  // namespace torchsoak::contract
