#include "operator/stresstest/progress_watch.h"

#include <utility>

#include "common/contract/names.h"
#include "operator/k8s/meta.h"

namespace torchsoak::stresstest {
namespace {

constexpr int kTailLines = 5;

std::optional<LogProgress> FromLine(std::string_view line) {
  const auto json = ParseJson(line, 64U << 10U);
  if (!json || GetString(*json, {"msg"}) != "progress") return std::nullopt;
  LogProgress progress;
  if (const auto percent = GetInt(*json, {"percent"})) {
    if (*percent < 0 || *percent > 100) return std::nullopt;
    progress.percent = percent;
    progress.text = std::to_string(*percent) + "%";
    return progress;
  }
  const auto step = GetInt(*json, {"step"});
  if (!step || *step < 0) return std::nullopt;
  progress.text = "step " + std::to_string(*step);
  return progress;
}

}  // namespace

std::optional<LogProgress> FindProgress(std::string_view log_tail) {
  while (!log_tail.empty()) {
    if (log_tail.back() == '\n') log_tail.remove_suffix(1);
    const std::size_t start = log_tail.rfind('\n') + 1;  // npos + 1 == 0
    if (auto progress = FromLine(log_tail.substr(start))) return progress;
    log_tail = log_tail.substr(0, start);
  }
  return std::nullopt;
}

ProgressWatch::ProgressWatch(k8s::Client& client, k8s::Informer& pods, Clock& clock,
                             std::function<void(const k8s::ObjectKey&)> on_change)
    : client_(client), pods_(pods), clock_(clock), on_change_(std::move(on_change)) {}

Status ProgressWatch::Run(std::stop_token stop) {
  while (clock_.Sleep(kEvery, stop)) Look(stop);
  return {};
}

void ProgressWatch::Look(std::stop_token stop) {
  std::map<k8s::Uid, LogProgress> now;
  for (const k8s::ObjectPtr& object : pods_.All()) {
    if (stop.stop_requested()) return;
    const PodView pod = ReadPod(*object, false);
    if (pod.runner.kind != ContainerView::Kind::kRunning) continue;
    const std::string ns = k8s::KeyOf(*object).ns;
    k8s::LogOptions options;
    options.tail_lines = kTailLines;
    options.limit_bytes = 64U << 10U;
    std::string tail;
    const Status read = client_.ReadLog(
        {ns, pod.name}, options,
        [&tail](std::string_view piece) {
          tail += piece;
          return true;
        },
        stop);
    const auto before = Get(pod.uid);
    const auto progress = read ? FindProgress(tail) : before;
    if (!progress) continue;
    now[pod.uid] = *progress;
    if (before && before->text == progress->text) continue;
    {
      const std::lock_guard lock(mutex_);
      seen_[pod.uid] = *progress;
    }
    on_change_({ns, GetString(*object, {"metadata", "labels", contract::kLabelTest})});
  }
  const std::lock_guard lock(mutex_);
  seen_ = std::move(now);  // pods that no longer run are forgotten
}

std::optional<LogProgress> ProgressWatch::Get(const k8s::Uid& pod) const {
  const std::lock_guard lock(mutex_);
  const auto it = seen_.find(pod);
  return it == seen_.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace torchsoak::stresstest
