#pragma once
// What is named in Kubernetes: kinds, keys, UIDs and resource versions.

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace torchsoak::k8s {

/// A kind as the API serves it, e.g. {"batch", "v1", "jobs", "Job"}. `group` is "" for core.
struct ResourceType {
  std::string group;
  std::string version;
  std::string plural;
  std::string kind;

  /// "v1" or "batch/v1".
  std::string ApiVersion() const { return group.empty() ? version : group + "/" + version; }
  auto operator<=>(const ResourceType&) const = default;
};

/// Namespace and name; `ns` is "" for cluster-scoped objects.
struct ObjectKey {
  std::string ns;
  std::string name;
  auto operator<=>(const ObjectKey&) const = default;
  std::string ToString() const { return ns.empty() ? name : ns + "/" + name; }
};

using Uid = std::string;

/// An object's or a list's version. Comparable within one resource (KEP-5504: a decimal without
/// leading zeros; longer is larger). Text that is not such a number compares as oldest.
class ResourceVersion {
 public:
  ResourceVersion() = default;
  explicit ResourceVersion(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::strong_ordering operator<=>(const ResourceVersion& other) const;
  bool operator==(const ResourceVersion& other) const { return text_ == other.text_; }

 private:
  std::string text_;
};

}  // namespace torchsoak::k8s

template <>
struct std::hash<torchsoak::k8s::ObjectKey> {
  std::size_t operator()(const torchsoak::k8s::ObjectKey& key) const noexcept {
    return std::hash<std::string>()(key.ns) * 31 + std::hash<std::string>()(key.name);
  }
};
