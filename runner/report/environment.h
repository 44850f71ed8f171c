#pragma once
// Where a run took place, for the report: kernel, processor, limits, threads, names, and the few
// environment variables that change what a number means. Never the whole environment: it may hold
// secrets.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "runner/report/cgroup.h"

namespace torchsoak::runner {

/// How environment variables come in (std::getenv in main, a map in tests).
using GetEnv = std::function<std::optional<std::string>(const std::string& name)>;

struct Environment {
  std::string kernel;
  std::string machine;  ///< "x86_64"
  std::string cpu_model;
  int affinity = 1;
  CgroupLimits cgroup;
  Threads threads;
  std::optional<std::int64_t> shm_bytes;  ///< size of /dev/shm; nothing when there is none
  std::string pod;                        ///< "" outside of a pod; likewise the next three
  std::string pod_uid;
  std::string node;
  std::string image;
  Json malloc = Json::object();  ///< what app/malloc_settings.h set
  Json variables = Json::object();
};

/// Reads it once, at the start. Whatever cannot be read stays empty.
Environment ReadEnvironment(const GetEnv& env);

/// {"kernel": …, "cgroup": {…}, …}; undefined numbers are left out.
Json ToJson(const Environment& environment);

}  // namespace torchsoak::runner
