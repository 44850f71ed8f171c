#pragma once
// How far running pods are, read slowly from the tail of their logs: for display only. No decision
// hangs on it, so a log that cannot be read is simply not shown.

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/error.h"
#include "operator/k8s/cache/informer.h"
#include "operator/k8s/client.h"
#include "operator/stresstest/observed.h"

namespace torchsoak::stresstest {

/// What the last progress line of a log says; nothing when there is none. Pure.
std::optional<LogProgress> FindProgress(std::string_view log_tail);

class ProgressWatch {
 public:
  static constexpr std::chrono::seconds kEvery{10};

  /// `on_change` is called on Run's thread with the key of a test whose pod got further.
  ProgressWatch(k8s::Client& client, k8s::Informer& pods, Clock& clock,
                std::function<void(const k8s::ObjectKey&)> on_change);

  /// Reads until `stop`. Blocks; call it on a thread of its own.
  Status Run(std::stop_token stop);

  /// Any thread.
  std::optional<LogProgress> Get(const k8s::Uid& pod) const;

 private:
  void Look(std::stop_token stop);

  k8s::Client& client_;
  k8s::Informer& pods_;
  Clock& clock_;
  const std::function<void(const k8s::ObjectKey&)> on_change_;
  mutable std::mutex mutex_;
  std::map<k8s::Uid, LogProgress> seen_;  // guarded by mutex_
};

}  // namespace torchsoak::stresstest
