#pragma once
// Variables and files in memory.

#include <map>
#include <memory>
#include <string>

#include "operator/k8s/auth/environment.h"

namespace torchsoak::k8s {

/// Shared by the test and the Environment that it hands out. For tests with one thread.
struct FakeWorld {
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> files;
  std::map<std::string, int> reads;
};

inline Environment EnvironmentOf(const std::shared_ptr<FakeWorld>& world) {
  Environment environment;
  environment.get = [world](const std::string& name) -> std::optional<std::string> {
    const auto found = world->variables.find(name);
    if (found == world->variables.end()) return std::nullopt;
    return found->second;
  };
  environment.all = [world] {
    std::vector<std::string> all;
    for (const auto& [name, value] : world->variables) all.push_back(name + "=" + value);
    return all;
  };
  environment.read_file = [world](const std::string& path) -> Expected<std::string> {
    ++world->reads[path];
    const auto found = world->files.find(path);
    if (found == world->files.end()) return Fail(ErrorCode::kNotFound, "no file " + path);
    return found->second;
  };
  return environment;
}

}  // namespace torchsoak::k8s
