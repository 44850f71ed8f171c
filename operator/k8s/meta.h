#pragma once
// The parts of object metadata that a controller reads, and metav1 times.

#include <optional>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "operator/k8s/resource.h"

namespace torchsoak::k8s {

/// "namespace/name" of an object. Missing parts are "".
ObjectKey KeyOf(const Json& object);

Uid UidOf(const Json& object);
ResourceVersion VersionOf(const Json& object);

/// The owner marked `controller: true`, if any.
struct ControllerRef {
  std::string api_version;
  std::string kind;
  std::string name;
  Uid uid;
};
std::optional<ControllerRef> ControllerOf(const Json& object);

/// RFC 3339 with or without fraction and with "Z" or an offset. Nothing when it is no such time.
std::optional<WallTime> ParseTime(std::string_view text);

/// metav1.Time: whole seconds, UTC. metav1.MicroTime: six digits.
std::string FormatTime(WallTime time);
std::string FormatMicroTime(WallTime time);

/// The condition of that type in a list of conditions, or nullptr.
const Json* FindCondition(const Json& conditions, std::string_view type);

}  // namespace torchsoak::k8s
