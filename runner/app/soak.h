#pragma once
// The loop: warm-up, then measured steps until the first limit of the spec is reached.
//
// Pure but for the clock and what it is handed; the measuring thread runs it.

#include <atomic>
#include <cstdint>

#include "common/contract/spec.h"
#include "runner/app/recorder.h"
#include "runner/device/device.h"
#include "runner/workload/workload.h"

namespace torchsoak::runner {

class Soak {
 public:
  /// Stops at the next step boundary once `stop` is true.
  Soak(const contract::Spec& spec, Workload& workload, Device& device, Recorder& recorder,
       const std::atomic<bool>& stop);

  /// Everything measured is in the recorder afterwards; a step that failed has set the draft's
  /// outcome.
  void Run();

 private:
  bool Warmup();
  void Measure();
  bool OneStep();
  bool LimitReached() const;
  std::int64_t StepsLeft() const;
  void EndEpoch(BootTime now);
  void SampleProcess(BootTime now);
  void Fail(const Error& error);

  const contract::Spec& spec_;
  Workload& workload_;
  Device& device_;
  Recorder& recorder_;
  const std::atomic<bool>& stop_;

  BootTime began_{};
  BootTime epoch_began_{};
  std::chrono::nanoseconds sample_due_{};  ///< since measuring began
  std::int64_t samples_ = 0;
  std::int64_t epoch_steps_ = 0;
  double epoch_loss_ = 0;
  double last_loss_ = 0;
  bool check_finite_ = false;
};

}  // namespace torchsoak::runner
