#pragma once
// What the container may use, from cgroup v1, v2 or a mix, and how many threads follow from it.

#include <cstdint>
#include <optional>
#include <string>

namespace torchsoak::runner {

struct CgroupLimits {
  int version = 0;                     ///< 1 or 2; 0 when none was found
  std::optional<std::int64_t> memory;  ///< bytes; nothing = no limit
  std::optional<double> cpus;          ///< quota in processors; nothing = no limit
};

/// The tightest limit between this process's group and the root of the mount. `root` stands in
/// front of /proc/self/cgroup and /sys/fs/cgroup (tests). Files that are absent are no limit.
CgroupLimits ReadCgroup(const std::string& root = "");

/// Processors that the scheduler may put this process on.
int AffinityCpus();

struct Threads {
  int count = 1;
  std::string reason;  ///< "OMP_NUM_THREADS", "cpu limit of 1.5", "2 processors"
};

/// OMP_NUM_THREADS when it is a number from 1 to 4096 (the first of a list), else the quota rounded
/// up but at most the affinity: more threads than quota are throttled in the middle of a step.
Threads ChooseThreads(const std::string& omp_num_threads, int affinity,
                      std::optional<double> quota);

}  // namespace torchsoak::runner
