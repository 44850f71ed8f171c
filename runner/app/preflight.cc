#include "runner/app/preflight.h"

#include <algorithm>
#include <utility>

#include "common/base/units.h"

namespace torchsoak::runner {
namespace {

using contract::Gate;
using contract::GateResult;
using contract::Outcome;
using contract::Reason;
using contract::Verdict;

/// What a container gets when nobody asks for more; data loaders and NCCL want more.
constexpr std::int64_t kSmallShm = std::int64_t{64} << 20;
/// Matrix of the product that every run checks before it starts.
constexpr std::int64_t kShortProduct = 256;

Gate Recorded(std::string name, std::string observed) {
  return {std::move(name), GateResult::kRecorded, false, std::move(observed), "", ""};
}

Gate SharedMemoryGate(const Environment& environment) {
  if (!environment.shm_bytes) {
    return {"SharedMemory", GateResult::kNotEvaluated, false, "", "", "there is no /dev/shm"};
  }
  Gate gate{"SharedMemory",
            GateResult::kPassed,
            false,
            FormatValue(static_cast<double>(*environment.shm_bytes), Unit::kBytes),
            "",
            ""};
  if (*environment.shm_bytes <= kSmallShm) {
    gate.result = GateResult::kWarned;
    gate.message = "/dev/shm has " + gate.observed + "; spec.pod.shmSize sets more";
  }
  return gate;
}

Gate ThreadsGate(const Environment& environment) {
  Gate gate = Recorded("Threads", std::to_string(environment.threads.count) + " (" +
                                      environment.threads.reason + ")");
  if (environment.cgroup.cpus && environment.threads.count > *environment.cgroup.cpus + 1) {
    gate.result = GateResult::kWarned;
    gate.message = "more threads than the cpu limit allows are throttled in the middle of steps";
  }
  return gate;
}

std::string Count(std::int64_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

void NoteDevices(const Device& device, Snapshot& draft) {
  for (const DeviceFacts& facts : device.accelerators()) {
    Json item = {{"name", facts.name}, {"uuid", facts.uuid}, {"memoryBytes", facts.total_memory}};
    draft.devices.push_back(std::move(item));
    if (!facts.uuid.empty()) draft.place.gpus.push_back(facts.uuid);
  }
  if (!device.accelerators().empty()) draft.place.gpu_model = device.accelerators().front().name;
}

/// All items in a Preflight test. Before another run only those that want attention: the message
/// that a pod leaves has room for 4096 bytes, and the rest stands in the report anyway.
void NoteEnvironment(const contract::Spec& spec, const Environment& environment, Snapshot& draft) {
  const bool whole = spec.mode == contract::Mode::kPreflight;
  for (Gate& gate : EnvironmentGates(environment)) {
    if (whole || gate.result == GateResult::kWarned) draft.gates.push_back(std::move(gate));
  }
  if (whole) draft.gates.push_back(Recorded("LibTorch", draft.place.libtorch));
}

Outcome Refusal(Reason reason, const Gate& gate) {
  return {Verdict::kError, reason, gate.name + ": " + gate.message};
}

}  // namespace

Gate DeviceCountGate(std::int64_t asked, int visible, const std::string& why_none) {
  Gate gate{"DeviceCount", GateResult::kPassed, false, "", "", ""};
  if (asked == 0) {
    gate.observed = "CPU run";
    return gate;
  }
  gate.observed = std::to_string(visible);
  gate.limit = "= " + std::to_string(asked);
  if (asked == visible) return gate;
  gate.result = GateResult::kFailed;
  gate.message = "gpu.perPod asks for " + Count(asked, "GPU") + ", this process sees " +
                 std::to_string(visible);
  if (visible > asked) {
    gate.message += "; outside of a cluster CUDA_VISIBLE_DEVICES chooses among them";
  } else if (visible == 0) {
    gate.message += why_none.empty() ? "" : ": " + why_none;
    gate.message += "; gpu.perPod: 0 asks for a CPU run";
  }
  return gate;
}

std::vector<Gate> EnvironmentGates(const Environment& environment) {
  const CgroupLimits& limits = environment.cgroup;
  std::vector<Gate> gates = {SharedMemoryGate(environment)};
  gates.push_back(Recorded(
      "MemoryLimit",
      limits.memory ? FormatValue(static_cast<double>(*limits.memory), Unit::kBytes) : "none"));
  gates.push_back(
      Recorded("CpuLimit", limits.cpus ? FormatValue(*limits.cpus, Unit::kNone) : "none"));
  gates.push_back(ThreadsGate(environment));
  return gates;
}

std::unique_ptr<Device> RunPreflight(const contract::Spec& spec, const Environment& environment,
                                     Backend& backend, Recorder& recorder) {
  Snapshot& draft = recorder.draft();
  const auto beat = [&] { recorder.heartbeat().Beat(); };
  backend.Configure(environment.threads.count, spec.seed);
  draft.gates.push_back(
      DeviceCountGate(spec.gpu.per_pod, backend.VisibleAccelerators(), backend.WhyNoAccelerator()));
  draft.place.libtorch = backend.LibtorchVersion();
  draft.place.driver = backend.DriverVersion();
  draft.versions = backend.Versions();
  beat();
  NoteEnvironment(spec, environment, draft);
  if (draft.gates.front().result == GateResult::kFailed) {
    draft.outcome = Refusal(Reason::kDeviceCountMismatch, draft.gates.front());
    return nullptr;
  }
  auto device = backend.Open(static_cast<int>(spec.gpu.per_pod));
  beat();
  if (!device) {
    draft.gates.push_back({"Device", GateResult::kFailed, false, "", "", device.error().message});
    draft.outcome = Refusal(Reason::kPreflightFailed, draft.gates.back());
    return nullptr;
  }
  NoteDevices(**device, draft);
  const bool whole = spec.mode == contract::Mode::kPreflight;
  draft.gates.push_back(
      backend.CheckProduct(**device, whole ? spec.preflight.matrix_size : kShortProduct, beat));
  const Gate& product = draft.gates.back();
  if (product.result == GateResult::kFailed) {
    draft.outcome = Outcome{Verdict::kFailed, Reason::kWrongResult, "Gemm: " + product.message};
    return nullptr;
  }
  if (product.result == GateResult::kNotEvaluated) {
    draft.outcome = Refusal(Reason::kPreflightFailed, product);
    return nullptr;
  }
  return std::move(*device);
}

}  // namespace torchsoak::runner
