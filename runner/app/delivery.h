#pragma once
// How a run's words reach those who wait for them: a terminal and a folder, or a pod's log and
// termination message.

#include <string>

#include "common/contract/result.h"
#include "runner/app/progress.h"
#include "runner/report/report_document.h"

namespace torchsoak::runner {

/// Calls never overlap, but come from different threads. None may wait long, and none may take a
/// lock that the measuring thread could hold: it may hang when they are made.
class Delivery {
 public:
  virtual ~Delivery() = default;

  /// Called about every 10 s, and when measuring has begun.
  virtual void Checkpoint(const contract::RunResult& result) = 0;

  /// Called every `ProgressEvery()`; for display only.
  virtual void Show(const contract::Spec& spec, const Progress& progress) = 0;
  virtual std::chrono::nanoseconds ProgressEvery() const = 0;

  /// The last call. `report` may be nullptr when it could not be packed; `result` has no report
  /// reference yet, since only what was really written may be referred to.
  virtual void Finish(contract::RunResult result, const PackedReport* report) = 0;
};

}  // namespace torchsoak::runner
