#include "runner/workload/registry.h"

#include "runner/workload/benchmark.h"
#include "runner/workload/gemm.h"
#include "runner/workload/inference.h"
#include "runner/workload/memory.h"
#include "runner/workload/training.h"

namespace torchsoak::runner {

std::unique_ptr<Workload> MakeWorkload(const WorkloadParts& parts) {
  switch (parts.spec.mode) {
    case contract::Mode::kTraining:
      return MakeTraining(parts.spec, parts.device, parts.device_names);
    case contract::Mode::kInference:
      return MakeInference(parts.spec, parts.device, parts.device_names, parts.threads,
                           parts.clock);
    case contract::Mode::kBenchmark:
      return MakeBenchmark(parts.spec, parts.device, parts.device_names, parts.threads,
                           parts.clock);
    case contract::Mode::kGemm:
      return MakeGemm(parts.spec, parts.device, parts.device_names, parts.clock);
    case contract::Mode::kMemory:
      return MakeMemory(parts.spec, parts.device, parts.device_names, parts.clock);
    case contract::Mode::kPreflight:
      break;
  }
  return nullptr;
}

}  // namespace torchsoak::runner
