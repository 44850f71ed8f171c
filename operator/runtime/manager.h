#pragma once
// Starts the operator's long-running parts in order, and stops them in the reverse order.
//
// Start: servers, election, events, caches, workers. Stop: intake, workers (30 s), caches, events
// (3 s), election (its `finish` releases the Lease), servers. The first error of any part stops
// the whole. The manager owns one thread per role, named after it, and one short-lived one
// ("grace") per stage that is being stopped.

#include <array>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/error.h"

namespace torchsoak::runtime {

/// In the order of starting.
enum class Stage { kServers, kElection, kEvents, kCaches, kWorkers };
inline constexpr std::size_t kStages = 5;

/// How long a stage may take to end before the next is stopped regardless.
std::chrono::milliseconds DefaultGrace(Stage stage);

struct Role {
  std::string name;  ///< in errors, and (15 bytes of it) the thread's name

  /// Blocks until the token is requested. Returning before that ends everything: with the error,
  /// or with kInternal when it returned a value. An exception counts as an error.
  std::function<Status(std::stop_token)> run;

  /// Called first when stopping begins, before anything is stopped, on Run's thread: stop intake
  /// (queue, election). Must not block. May be empty.
  std::function<void()> on_stopping;

  /// Called on Run's thread once the role has ended. `workers_ended`: every role of kWorkers ended
  /// in time, so nothing of ours writes any more and the Lease may be released. May be empty; not
  /// called for a role that did not end.
  std::function<void(bool workers_ended)> finish;
};

class Manager {
 public:
  explicit Manager(Clock& clock);

  /// Joins the roles that did not end in time: it may hang. The app calls _Exit after Run.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Before Run. Roles of one stage start in order of adding.
  void Add(Stage stage, Role role);

  /// A condition that must hold before `stage` starts (caches synced, leadership). Gates of a
  /// stage run in order of adding, on Run's thread; the token is requested by Stop and by a role's
  /// error. An error, other than one caused by stopping, ends everything.
  void AddGate(Stage stage, std::string name, std::function<Status(std::stop_token)> wait);

  void SetGrace(Stage stage, std::chrono::milliseconds grace);

  /// Runs everything until Stop or the first error. Value: stopped as asked and every role ended
  /// in time. kTimeout names the roles that did not end; they are still running. Call once.
  Status Run();

  /// From any thread, any number of times, before Run as well: stop in order. Never blocks. Not
  /// from a signal handler: signals belong to a sigwait thread in the app.
  void Stop();

  /// True from the first Stop or error on.
  bool Stopping() const { return stop_.stop_requested(); }

 private:
  struct Running;
  struct Gate {
    std::string name;
    std::function<Status(std::stop_token)> wait;
  };
  struct StagePlan {
    std::vector<Role> roles;
    std::vector<Gate> gates;
    std::optional<std::chrono::milliseconds> grace;
  };

  bool Start(std::size_t stage);
  void Launch(std::size_t stage, Role role);
  void RunRole(Running& running, std::stop_token stop);
  void RecordError(const std::string& who, const Error& error);
  void StopStage(std::size_t stage, bool& workers_ended);
  bool AwaitEnd(std::size_t stage);
  bool Ended(const Running& running) const;

  Clock& clock_;
  std::array<StagePlan, kStages> plan_;
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Error> first_error_;               // guarded by mutex_
  std::vector<std::string> overdue_;               // Run's thread only
  std::vector<std::unique_ptr<Running>> running_;  // Run's thread; flags inside guarded by mutex_
};

}  // namespace torchsoak::runtime
