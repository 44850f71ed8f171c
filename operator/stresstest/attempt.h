#pragma once
// The current attempt of a test: its Job, its pod, and its line in status.runs. Pure.

#include <chrono>
#include <string>

#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// Looks into what it is given, which must outlive it, and writes only `status.runs`.
class Attempt {
 public:
  Attempt(const Observed& observed, TestStatus& status);

  const JobView* job() const { return job_; }  ///< nullptr: not there
  const PodView* pod() const { return pod_; }  ///< one that is there before one that is gone

  /// True when the status already speaks of this attempt: its Job was created.
  bool Recorded() const;

  /// The attempt's line. Only when Recorded().
  RunStatus& run() const { return status_.runs.front(); }

  /// Why the operator is ending it; "" when it is not.
  std::string Stopping() const { return Recorded() ? run().stopping : ""; }

  /// True when the runner of this attempt has run, as far as anybody saw.
  bool Started() const;

  /// Writes down what is known of Job and pod.
  void Record();

  /// The pod outlived its grace period by so much that its node no longer answers: 1 min after a
  /// stop of ours, 5 min after anybody else's.
  bool Lost() const;

  /// Nobody will end the pod: its Job is gone, and it was no longer the Job's when that went.
  bool OutOfReach() const;

  /// The status or a pod speaks of something that is not there. A cache miss is no proof of that,
  /// and who lost the labels we watch by is there still.
  bool NeedsLiveLook() const;

  /// When Lost() may become true.
  WallTime LostAt() const;

 private:
  const Observed& observed_;
  TestStatus& status_;
  const JobView* job_;
  const PodView* pod_;
};

}  // namespace torchsoak::stresstest
