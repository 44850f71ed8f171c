#include "operator/runtime/work_queue.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>

namespace torchsoak::runtime {
namespace {

/// Upstream bounds the wait too: a clock that was set or stood still costs ten seconds, not a key.
constexpr std::chrono::seconds kLongestNap{10};

double ToSeconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

WorkQueue::WorkQueue(Clock& clock, WorkQueueOptions options, WorkQueueObserver* observer)
    : clock_(clock),
      options_(options),
      observer_(observer),
      tokens_(options.burst),
      refilled_(clock.Boot()),
      thread_([this](std::stop_token stop) { RunDelays(std::move(stop)); }) {}

WorkQueue::~WorkQueue() { ShutDown(); }

void WorkQueue::Add(const k8s::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  AddLocked(key);
}

void WorkQueue::AddLocked(const k8s::ObjectKey& key) {
  if (shut_down_ || dirty_.contains(key)) return;
  dirty_.emplace(key, clock_.Boot());
  if (observer_ != nullptr) observer_->OnAdd();
  if (!processing_.contains(key)) PushLocked(key);
}

void WorkQueue::PushLocked(const k8s::ObjectKey& key) {
  queue_.push_back(key);
  if (observer_ != nullptr) observer_->OnDepth(queue_.size());
  ready_.notify_one();
}

void WorkQueue::AddAfter(const k8s::ObjectKey& key, std::chrono::nanoseconds delay) {
  bool ring = false;
  {
    const std::lock_guard lock(mutex_);
    ring = DelayLocked(key, delay);
  }
  if (ring) doorbell_.Ring();
}

void WorkQueue::AddRateLimited(const k8s::ObjectKey& key) {
  bool ring = false;
  {
    const std::lock_guard lock(mutex_);
    if (observer_ != nullptr) observer_->OnRetry();
    const std::chrono::nanoseconds delay = std::max(BackoffLocked(key), TakeTokenLocked());
    ring = DelayLocked(key, delay);
  }
  if (ring) doorbell_.Ring();
}

/// True when the delay thread must wake earlier than it thinks.
bool WorkQueue::DelayLocked(const k8s::ObjectKey& key, std::chrono::nanoseconds delay) {
  if (shut_down_) return false;
  if (delay.count() <= 0) {
    AddLocked(key);
    return false;
  }
  const BootTime due = clock_.Boot() + delay;
  const auto [known, is_new] = due_.try_emplace(key, due);
  if (!is_new) {
    if (known->second <= due) return false;  // the earlier time wins
    delayed_.erase({known->second, key});
    known->second = due;
  }
  const auto added = delayed_.emplace(due, key).first;
  return added == delayed_.begin();
}

std::chrono::nanoseconds WorkQueue::BackoffLocked(const k8s::ObjectKey& key) {
  const int failures = failures_[key]++;
  std::chrono::nanoseconds delay = options_.base_delay;
  for (int i = 0; i < failures && delay < options_.max_delay; ++i) delay *= 2;
  return std::min(delay, options_.max_delay);
}

/// Reserves a token: how long until it is there. Tokens may be owed.
std::chrono::nanoseconds WorkQueue::TakeTokenLocked() {
  const BootTime now = clock_.Boot();
  tokens_ =
      std::min(options_.burst, tokens_ + ToSeconds(now - refilled_) * options_.rate_per_second);
  refilled_ = now;
  tokens_ -= 1;
  if (tokens_ >= 0) return std::chrono::nanoseconds(0);
  const double seconds = -tokens_ / options_.rate_per_second;
  return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

void WorkQueue::Forget(const k8s::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  failures_.erase(key);
}

std::optional<k8s::ObjectKey> WorkQueue::Get() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return shut_down_ || !queue_.empty(); });
  if (shut_down_) return std::nullopt;
  k8s::ObjectKey key = std::move(queue_.front());
  queue_.pop_front();
  const BootTime now = clock_.Boot();
  const auto dirty = dirty_.find(key);
  if (observer_ != nullptr) {
    observer_->OnDepth(queue_.size());
    observer_->OnWaited(now - dirty->second);
  }
  dirty_.erase(dirty);
  processing_.emplace(key, now);
  return key;
}

void WorkQueue::Done(const k8s::ObjectKey& key) {
  const std::lock_guard lock(mutex_);
  const auto it = processing_.find(key);
  if (it == processing_.end()) return;
  if (observer_ != nullptr) observer_->OnWorked(clock_.Boot() - it->second);
  processing_.erase(it);
  if (!shut_down_ && dirty_.contains(key)) PushLocked(key);
}

void WorkQueue::ShutDown() {
  {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    queue_.clear();
    dirty_.clear();
    delayed_.clear();
    due_.clear();
    if (observer_ != nullptr) observer_->OnDepth(0);
  }
  ready_.notify_all();
}

std::size_t WorkQueue::Depth() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::size_t WorkQueue::Delayed() const {
  const std::lock_guard lock(mutex_);
  return delayed_.size();
}

int WorkQueue::Failures(const k8s::ObjectKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = failures_.find(key);
  return it == failures_.end() ? 0 : it->second;
}

WorkQueue::InWork WorkQueue::Unfinished() const {
  const std::lock_guard lock(mutex_);
  const BootTime now = clock_.Boot();
  InWork in_work;
  for (const auto& [key, since] : processing_) {
    in_work.sum += now - since;
    in_work.longest = std::max(in_work.longest, now - since);
  }
  return in_work;
}

/// Adds what is due; returns how long nothing else will be.
std::chrono::nanoseconds WorkQueue::MoveDue() {
  const std::lock_guard lock(mutex_);
  const BootTime now = clock_.Boot();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const k8s::ObjectKey key = delayed_.begin()->second;
    delayed_.erase(delayed_.begin());
    due_.erase(key);
    AddLocked(key);
  }
  if (delayed_.empty()) return kLongestNap;
  return std::min<std::chrono::nanoseconds>(kLongestNap, delayed_.begin()->first - now);
}

void WorkQueue::RunDelays(std::stop_token stop) {
  pthread_setname_np(pthread_self(), "queue-delay");
  while (!stop.stop_requested()) doorbell_.Wait(clock_, MoveDue(), stop);
}

}  // namespace torchsoak::runtime
