#include "operator/runtime/log_follower.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace torchsoak::runtime {

/// One log. Fixed: pod, uid, follow, order, stop. The rest is guarded by `mutex`, which is taken
/// after the follower's or alone.
struct LogFollower::Entry {
  Entry(k8s::ObjectKey pod_key, k8s::Uid pod_uid, bool follow_on, const LogFollowerOptions& options)
      : pod(std::move(pod_key)),
        uid(std::move(pod_uid)),
        follow(follow_on),
        lines(options.prefix, options.keep) {}

  const k8s::ObjectKey pod;
  const k8s::Uid uid;
  const bool follow;
  std::uint64_t order = 0;
  std::stop_source stop;

  std::mutex mutex;
  PrefixLines lines;
  bool ended = false;
  std::optional<Error> error;

  bool Ended() {
    const std::lock_guard lock(mutex);
    return ended;
  }
};

LogFollower::LogFollower(k8s::Client& client, std::function<void(const k8s::Uid&)> on_done,
                         std::stop_token stop, LogFollowerOptions options)
    : client_(client),
      on_done_(std::move(on_done)),
      options_(std::move(options)),
      forward_(std::move(stop), [this] { StopAll(); }) {}

LogFollower::~LogFollower() {
  StopAll();
  for (std::jthread& thread : threads_) thread.join();
}

void LogFollower::StopAll() {
  std::vector<std::shared_ptr<Entry>> all;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& [uid, entry] : entries_) all.push_back(entry);
    for (const auto& entry : reading_) all.push_back(entry);
  }
  work_.notify_all();
  for (const auto& entry : all) entry->stop.request_stop();
}

bool LogFollower::Start(const k8s::ObjectKey& pod, const k8s::Uid& uid, bool follow) {
  const std::lock_guard lock(mutex_);
  if (entries_.contains(uid)) return true;
  if (stopped_ || !MakeRoomLocked()) return false;
  auto entry = std::make_shared<Entry>(pod, uid, follow, options_);
  entry->order = started_++;
  entries_[uid] = entry;
  waiting_.push_back(std::move(entry));
  if (idle_ < waiting_.size() && threads_.size() < kMaxThreads) {
    threads_.emplace_back([this] { Work(); });
    ++idle_;
  }
  work_.notify_one();
  return true;
}

bool LogFollower::MakeRoomLocked() {
  if (entries_.size() < kMaxEntries) return true;
  auto oldest = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (!it->second->Ended()) continue;
    if (oldest == entries_.end() || it->second->order < oldest->second->order) oldest = it;
  }
  if (oldest == entries_.end()) return false;
  entries_.erase(oldest);
  return true;
}

void LogFollower::Work() {
  pthread_setname_np(pthread_self(), "log-follow");
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;  // stopped, and nothing is left to be told
    const std::shared_ptr<Entry> entry = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    reading_.push_back(entry);
    lock.unlock();
    Read(*entry);
    lock.lock();
    std::erase(reading_, entry);
    ++idle_;
    const auto held = entries_.find(entry->uid);
    if (held == entries_.end() || held->second != entry) continue;  // taken or forgotten
    lock.unlock();
    if (on_done_) on_done_(entry->uid);
    lock.lock();
  }
}

void LogFollower::Read(Entry& entry) {
  k8s::LogOptions ask;
  ask.container = options_.container;
  ask.tail_lines = options_.tail_lines;
  ask.limit_bytes = options_.read_bytes;
  ask.follow = entry.follow;
  Status read = Fail(ErrorCode::kCancelled, "stopped before reading");
  if (!entry.stop.stop_requested()) {
    read = client_.ReadLog(
        entry.pod, ask,
        [&entry](std::string_view piece) {
          const std::lock_guard lock(entry.mutex);
          return entry.lines.Feed(piece) && !entry.stop.stop_requested();
        },
        entry.stop.get_token());
  }
  const std::lock_guard lock(entry.mutex);
  // A line that was cut off with its stream is no line.
  if (read) entry.lines.End();
  // Full is an end of our own choice, not a failure.
  if (!read && !entry.lines.full()) entry.error = read.error();
  entry.ended = true;
}

bool LogFollower::Has(const k8s::Uid& uid) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(uid);
}

bool LogFollower::Finished(const k8s::Uid& uid) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(uid);
  return it != entries_.end() && it->second->Ended();
}

std::optional<FollowedLog> LogFollower::Peek(const k8s::Uid& uid) const {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(uid);
    if (it == entries_.end()) return std::nullopt;
    entry = it->second;
  }
  const std::lock_guard lock(entry->mutex);
  return FollowedLog{entry->lines.lines(), entry->lines.truncated(), entry->ended, entry->error};
}

void LogFollower::Forget(const k8s::Uid& uid) {
  if (const std::shared_ptr<Entry> entry = Remove(uid)) entry->stop.request_stop();
}

std::shared_ptr<LogFollower::Entry> LogFollower::Remove(const k8s::Uid& uid) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(uid);
  if (it == entries_.end()) return nullptr;
  std::shared_ptr<Entry> entry = std::move(it->second);
  entries_.erase(it);
  std::erase(waiting_, entry);
  return entry;
}

std::size_t LogFollower::Size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace torchsoak::runtime
