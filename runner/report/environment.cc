#include "runner/report/environment.h"

#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string_view>

#include "common/contract/names.h"

namespace torchsoak::runner {
namespace {

constexpr std::array kVariables = {"OMP_NUM_THREADS",
                                   "OMP_PROC_BIND",
                                   "OMP_PLACES",
                                   "KMP_AFFINITY",
                                   "MKL_NUM_THREADS",
                                   "MKL_CBWR",
                                   "ONEDNN_MAX_CPU_ISA",
                                   "ATEN_CPU_CAPABILITY",
                                   "GLIBC_TUNABLES",
                                   "LD_PRELOAD",
                                   "MALLOC_ARENA_MAX",
                                   "CUDA_VISIBLE_DEVICES",
                                   "NVIDIA_VISIBLE_DEVICES",
                                   "HIP_VISIBLE_DEVICES",
                                   "CUDA_LAUNCH_BLOCKING",
                                   "CUDA_MODULE_LOADING",
                                   "CUBLAS_WORKSPACE_CONFIG",
                                   "NVIDIA_TF32_OVERRIDE",
                                   "PYTORCH_ALLOC_CONF",
                                   "PYTORCH_CUDA_ALLOC_CONF",
                                   "PYTORCH_NO_CUDA_MEMORY_CACHING",
                                   "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                   "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"};

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::optional<std::int64_t> ShmBytes() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return std::nullopt;
  return static_cast<std::int64_t>(info.f_blocks) * static_cast<std::int64_t>(info.f_frsize);
}

}  // namespace

Environment ReadEnvironment(const GetEnv& env) {
  Environment result;
  utsname names{};
  if (uname(&names) == 0) {
    result.kernel = names.release;
    result.machine = names.machine;
  }
  result.cpu_model = CpuModel();
  result.affinity = AffinityCpus();
  result.cgroup = ReadCgroup();
  result.threads =
      ChooseThreads(env("OMP_NUM_THREADS").value_or(""), result.affinity, result.cgroup.cpus);
  result.shm_bytes = ShmBytes();
  const auto named = [&](std::string_view name) { return env(std::string(name)).value_or(""); };
  result.pod = named(contract::kEnvPod);
  result.pod_uid = named(contract::kEnvPodUid);
  result.node = named(contract::kEnvNode);
  result.image = named(contract::kEnvImage);
  for (const char* name : kVariables) {
    if (const auto value = env(name)) result.variables[name] = value->substr(0, 256);
  }
  return result;
}

Json ToJson(const Environment& environment) {
  Json cgroup = {{"version", environment.cgroup.version}};
  if (environment.cgroup.memory) cgroup["memoryBytes"] = *environment.cgroup.memory;
  if (environment.cgroup.cpus) cgroup["cpus"] = *environment.cgroup.cpus;
  Json json = {{"kernel", environment.kernel},
               {"machine", environment.machine},
               {"cpuModel", environment.cpu_model},
               {"processors", environment.affinity},
               {"cgroup", std::move(cgroup)},
               {"threads", environment.threads.count},
               {"threadsFrom", environment.threads.reason},
               {"malloc", environment.malloc},
               {"variables", environment.variables}};
  if (environment.shm_bytes) json["shmBytes"] = *environment.shm_bytes;
  if (!environment.pod.empty()) json["pod"] = environment.pod;
  if (!environment.pod_uid.empty()) json["podUID"] = environment.pod_uid;
  if (!environment.node.empty()) json["node"] = environment.node;
  if (!environment.image.empty()) json["image"] = environment.image;
  return json;
}

}  // namespace torchsoak::runner
