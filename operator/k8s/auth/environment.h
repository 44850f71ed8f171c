#pragma once
// The outside world of configuration: variables and files, handed in so that tests own them.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.h"

namespace torchsoak::k8s {

struct Environment {
  /// The variable's value; nothing when it is not set.
  std::function<std::optional<std::string>(const std::string& name)> get;

  /// All of them as "NAME=value", for a child process.
  std::function<std::vector<std::string>()> all;

  /// A whole file. kNotFound when there is none, kForbidden when it may not be read, kTooLarge
  /// above 16 MiB, else kUnavailable.
  std::function<Expected<std::string>(const std::string& path)> read_file;
};

/// The process's environment and the file system.
Environment SystemEnvironment();

}  // namespace torchsoak::k8s
