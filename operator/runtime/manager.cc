#include "operator/runtime/manager.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace torchsoak::runtime {

/// One role at work.
struct Manager::Running {
  std::size_t stage = 0;
  Role role;
  bool ended = false;  // guarded by Manager::mutex_
  std::jthread thread;
};

std::chrono::milliseconds DefaultGrace(Stage stage) {
  switch (stage) {
    case Stage::kWorkers:
      return std::chrono::seconds(30);  // controller-runtime's defaultGracefulShutdownPeriod
    case Stage::kEvents:
      return std::chrono::seconds(3);  // 2 s of flushing, and a cancelled call
    case Stage::kServers:
    case Stage::kElection:
    case Stage::kCaches:
      break;
  }
  return std::chrono::seconds(2);
}

Manager::Manager(Clock& clock) : clock_(clock) {}

Manager::~Manager() = default;

void Manager::Add(Stage stage, Role role) {
  plan_.at(static_cast<std::size_t>(stage)).roles.push_back(std::move(role));
}

void Manager::AddGate(Stage stage, std::string name, std::function<Status(std::stop_token)> wait) {
  plan_.at(static_cast<std::size_t>(stage)).gates.push_back({std::move(name), std::move(wait)});
}

void Manager::SetGrace(Stage stage, std::chrono::milliseconds grace) {
  plan_.at(static_cast<std::size_t>(stage)).grace = grace;
}

void Manager::Stop() { stop_.request_stop(); }

Status Manager::Run() {
  std::size_t started = 0;
  while (started < kStages && Start(started)) ++started;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop_.get_token(), [] { return false; });
  }
  for (const auto& running : running_) {
    if (running->role.on_stopping) running->role.on_stopping();
  }
  bool workers_ended = true;
  for (std::size_t stage = started; stage-- > 0;) StopStage(stage, workers_ended);

  const std::lock_guard lock(mutex_);
  if (first_error_) return tl::unexpected(*first_error_);
  if (overdue_.empty()) return {};
  std::string names;
  for (const std::string& name : overdue_) names += (names.empty() ? "" : ", ") + name;
  return Fail(ErrorCode::kTimeout, "did not end in time: " + names);
}

/// False when we are stopping instead.
bool Manager::Start(std::size_t stage) {
  const std::stop_token stop = stop_.get_token();
  for (const Gate& gate : plan_[stage].gates) {
    if (stop.stop_requested()) return false;
    const Status passed = gate.wait(stop);
    if (!passed && !stop.stop_requested()) RecordError(gate.name, passed.error());
  }
  if (stop.stop_requested()) return false;
  for (Role& role : plan_[stage].roles) Launch(stage, std::move(role));
  return true;
}

void Manager::Launch(std::size_t stage, Role role) {
  running_.push_back(std::make_unique<Running>());
  Running& running = *running_.back();
  running.stage = stage;
  running.role = std::move(role);
  running.thread = std::jthread([this, &running](std::stop_token stop) {
    pthread_setname_np(pthread_self(), running.role.name.substr(0, 15).c_str());
    RunRole(running, std::move(stop));
  });
}

void Manager::RunRole(Running& running, std::stop_token stop) {
  Status ended;
  try {
    ended = running.role.run(stop);
  } catch (const std::bad_alloc&) {
    throw;  // ends the process: nothing may be assumed any more
  } catch (const std::exception& e) {
    ended = Fail(ErrorCode::kInternal, std::string("exception: ") + e.what());
  }
  if (!ended) {
    RecordError(running.role.name, ended.error());
  } else if (!stop.stop_requested() && !Stopping()) {
    RecordError(running.role.name, {ErrorCode::kInternal, "ended without being asked to"});
  }
  const std::lock_guard lock(mutex_);
  running.ended = true;
  changed_.notify_all();
}

void Manager::RecordError(const std::string& who, const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    // What a role says about being stopped is not what went wrong.
    const bool echo = stop_.stop_requested() && error.code == ErrorCode::kCancelled;
    if (!first_error_ && !echo) first_error_ = Wrap(who, error).value();
  }
  Stop();
}

void Manager::StopStage(std::size_t stage, bool& workers_ended) {
  for (const auto& running : running_) {
    if (running->stage == stage) running->thread.request_stop();
  }
  const bool all_ended = AwaitEnd(stage);
  if (stage == static_cast<std::size_t>(Stage::kWorkers)) workers_ended = all_ended;
  for (const auto& running : running_) {
    if (running->stage != stage) continue;
    if (!Ended(*running)) {
      overdue_.push_back(running->role.name);
      continue;
    }
    running->thread.join();
    if (running->role.finish) running->role.finish(workers_ended);
  }
}

bool Manager::Ended(const Running& running) const {
  const std::lock_guard lock(mutex_);
  return running.ended;
}

/// Waits for the roles of the stage, at most for its grace period.
bool Manager::AwaitEnd(std::size_t stage) {
  const auto all_ended = [&] {
    return std::all_of(running_.begin(), running_.end(), [stage](const auto& running) {
      return running->stage != stage || running->ended;
    });
  };
  {
    const std::lock_guard lock(mutex_);
    if (all_ended()) return true;
  }
  const auto grace = plan_[stage].grace.value_or(DefaultGrace(static_cast<Stage>(stage)));
  const std::stop_source over;
  std::jthread timer([this, grace, over](std::stop_token ended) mutable {
    pthread_setname_np(pthread_self(), "grace");
    if (clock_.Sleep(grace, std::move(ended))) over.request_stop();
  });
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, over.get_token(), all_ended);
}

}  // namespace torchsoak::runtime
