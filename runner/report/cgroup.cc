#include "runner/report/cgroup.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

namespace torchsoak::runner {
namespace {

namespace fs = std::filesystem;

/// cgroup v1 writes "no limit" as the largest page-aligned number.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;

std::optional<std::string> FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<std::int64_t> Number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// The group of this process for a v1 controller, or of v2 for "". "" when there is none.
std::string GroupOf(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string list = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool match =
        controller.empty() ? list == ",," : list.find("," + controller + ",") != std::string::npos;
    if (match) return line.substr(second + 1);
  }
  return "";
}

/// The least of what `read` finds in the group's folder and those above it, up to the mount.
template <typename T>
std::optional<T> Tightest(const fs::path& mount, const std::string& group,
                          const std::function<std::optional<T>(const fs::path&)>& read) {
  std::optional<T> least = read(mount);
  fs::path at = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    // Without a cgroup namespace the path is the host's and not there: the mount says it all.
    std::error_code ignored;
    if (part == ".." || !fs::is_directory(at, ignored)) break;
    if (const auto value = read(at)) least = std::min(least.value_or(*value), *value);
  }
  return least;
}

std::optional<std::int64_t> MemoryV2(const fs::path& folder) {
  const auto line = FirstLine(folder / "memory.max");
  return line ? Number(*line) : std::nullopt;  // "max" is no number
}

std::optional<std::int64_t> MemoryV1(const fs::path& folder) {
  const auto line = FirstLine(folder / "memory.limit_in_bytes");
  const auto value = line ? Number(*line) : std::nullopt;
  return value && *value < kUnlimited ? value : std::nullopt;
}

std::optional<double> Ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> CpusV2(const fs::path& folder) {
  const auto line = FirstLine(folder / "cpu.max");
  if (!line) return std::nullopt;
  std::istringstream words(*line);
  std::string quota;
  std::string period;
  words >> quota >> period;
  return Ratio(Number(quota), Number(period));
}

std::optional<double> CpusV1(const fs::path& folder) {
  const auto quota = FirstLine(folder / "cpu.cfs_quota_us");
  const auto period = FirstLine(folder / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return Ratio(Number(*quota), Number(*period));
}

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

CgroupLimits ReadCgroup(const std::string& root) {
  const fs::path mount = root + "/sys/fs/cgroup";
  CgroupLimits limits;
  if (Exists(mount / "cgroup.controllers")) {
    limits.version = 2;
    const std::string group = GroupOf(root, "");
    limits.memory = Tightest<std::int64_t>(mount, group, MemoryV2);
    limits.cpus = Tightest<double>(mount, group, CpusV2);
    return limits;
  }
  if (Exists(mount / "memory") || Exists(mount / "cpu") || Exists(mount / "cpu,cpuacct")) {
    limits.version = 1;
    const fs::path cpu = Exists(mount / "cpu") ? mount / "cpu" : mount / "cpu,cpuacct";
    limits.memory = Tightest<std::int64_t>(mount / "memory", GroupOf(root, "memory"), MemoryV1);
    limits.cpus = Tightest<double>(cpu, GroupOf(root, "cpu"), CpusV1);
  }
  return limits;
}

int AffinityCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

Threads ChooseThreads(const std::string& omp_num_threads, int affinity,
                      std::optional<double> quota) {
  const auto asked = Number(omp_num_threads);
  if (asked && *asked >= 1 && *asked <= 4096) {
    return {static_cast<int>(*asked), "OMP_NUM_THREADS"};
  }
  affinity = std::max(1, affinity);
  if (quota && *quota < affinity) {
    std::ostringstream text;
    text << "cpu limit of " << *quota;
    return {std::max(1, static_cast<int>(std::ceil(*quota))), text.str()};
  }
  return {affinity, std::to_string(affinity) + (affinity == 1 ? " processor" : " processors")};
}

}  // namespace torchsoak::runner
