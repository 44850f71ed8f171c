#pragma once
// Keeps the report lines of pods' logs while the pods still have one.
//
// Used when the operator stops a pod: the log is followed first, then the pod is deleted, and what
// the runner prints in its last seconds is not lost. Only lines that begin with the prefix are
// kept, within limits: a log is foreign and may be anything.
//
// Any thread may call anything. Owns its threads ("log-follow"): one per log being read, at most
// 32; further logs wait for a free one. The destructor ends reading and joins.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/error.h"
#include "operator/k8s/client.h"
#include "operator/k8s/resource.h"
#include "operator/runtime/prefix_lines.h"

namespace torchsoak::runtime {

struct LogFollowerOptions {
  std::string prefix = "@ts-report ";
  std::string container = "runner";
  int tail_lines = 2000;                ///< where reading begins, from the end
  std::size_t read_bytes = 64U << 20U;  ///< of one log; the server cuts there
  PrefixLines::Limits keep;             ///< 1 MiB a line, 2 MiB a pod
};

/// What was kept of one log.
struct FollowedLog {
  std::vector<std::string> lines;  ///< whole lines without "\n", prefix included
  bool truncated = false;          ///< a limit was hit: lines are missing
  bool ended = false;              ///< false: still being read
  std::optional<Error> error;      ///< why reading ended early, if it did
};

class LogFollower {
 public:
  static constexpr std::size_t kMaxThreads = 32;
  static constexpr std::size_t kMaxEntries = 64;

  /// `on_done(uid)` is called on a thread of this class when a log ended or failed, without any
  /// lock held; it may call Peek and Forget. Requesting `stop` ends all reading (error kCancelled)
  /// and makes Start refuse. `client` must outlive this.
  LogFollower(k8s::Client& client, std::function<void(const k8s::Uid&)> on_done,
              std::stop_token stop, LogFollowerOptions options = {});
  ~LogFollower();
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  /// Begins to read the log of that pod, once per UID: true also when it is already being read or
  /// has been read and not forgotten. `follow`: until the container ends, else what is there now.
  /// False: stopped, or 64 unfinished logs are held; ask again later. When 64 are held, the oldest
  /// finished one is forgotten.
  bool Start(const k8s::ObjectKey& pod, const k8s::Uid& uid, bool follow);

  /// True while a log is held, finished or not.
  bool Has(const k8s::Uid& uid) const;

  /// True when the log ended or failed and was not forgotten yet.
  bool Finished(const k8s::Uid& uid) const;

  /// A copy of what was read so far; nothing for an unknown UID. It stays held until Forget, so
  /// that whoever fails to store it can ask again.
  std::optional<FollowedLog> Peek(const k8s::Uid& uid) const;

  /// Ends reading, if any, and drops the lines. on_done is not called any more.
  void Forget(const k8s::Uid& uid);

  std::size_t Size() const;

 private:
  struct Entry;

  void Work();
  void Read(Entry& entry);
  void StopAll();
  bool MakeRoomLocked();
  std::shared_ptr<Entry> Remove(const k8s::Uid& uid);

  k8s::Client& client_;
  const std::function<void(const k8s::Uid&)> on_done_;
  const LogFollowerOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable work_;
  // All guarded by mutex_.
  std::map<k8s::Uid, std::shared_ptr<Entry>> entries_;
  std::deque<std::shared_ptr<Entry>> waiting_;   ///< for a thread; subset of entries_
  std::vector<std::shared_ptr<Entry>> reading_;  ///< also those forgotten meanwhile
  std::vector<std::jthread> threads_;            ///< grows to kMaxThreads, joined at the end
  std::size_t idle_ = 0;                         ///< threads that wait for work
  std::uint64_t started_ = 0;
  bool stopped_ = false;

  std::stop_callback<std::function<void()>> forward_;  // last: may call at once
};

}  // namespace torchsoak::runtime
