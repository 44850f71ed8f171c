#include "operator/runtime/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <stdexcept>

#include "tests/fakes/fake_clock.h"

namespace torchsoak::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void AwaitStop(std::stop_token stop) {
  std::latch stopped(1);
  const std::stop_callback release(stop, [&] { stopped.count_down(); });
  stopped.wait();
}

class ManagerTest : public ::testing::Test {
 protected:
  void Note(const std::string& note) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(note);
    changed_.notify_all();
  }

  void AwaitNote(const std::string& note) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return std::find(notes_.begin(), notes_.end(), note) != notes_.end(); });
  }

  /// A role that notes its start, its end and its finish.
  Role Noting(const std::string& name) {
    return {.name = name,
            .run =
                [this, name](std::stop_token stop) {
                  Note("+" + name);
                  AwaitStop(stop);
                  Note("-" + name);
                  return Status();
                },
            .on_stopping = [this, name] { Note("!" + name); },
            .finish =
                [this, name](bool workers_ended) {
                  Note("." + name + (workers_ended ? "" : " unclean"));
                }};
  }

  void Run() {
    result_ = std::async(std::launch::async, [this] { return manager_.Run(); });
  }

  std::vector<std::string> Notes() {
    const std::lock_guard lock(mutex_);
    return notes_;
  }

  fakes::FakeClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> notes_;  // guarded by mutex_
  std::latch free_{1};              // what a stuck role waits for; outlives the manager
  Manager manager_{clock_};
  std::future<Status> result_;
};

TEST_F(ManagerTest, StartsInOrderAndStopsInReverse) {
  manager_.Add(Stage::kWorkers, Noting("workers"));
  manager_.AddGate(Stage::kElection, "servers up", [this](std::stop_token) {
    AwaitNote("+servers");
    return Status();
  });
  manager_.AddGate(Stage::kEvents, "election up", [this](std::stop_token) {
    AwaitNote("+election");
    return Status();
  });
  manager_.AddGate(Stage::kCaches, "events up", [this](std::stop_token) {
    AwaitNote("+events");
    return Status();
  });
  manager_.AddGate(Stage::kWorkers, "synced", [this](std::stop_token) {
    AwaitNote("+caches");
    Note("synced");
    return Status();
  });
  manager_.Add(Stage::kCaches, Noting("caches"));
  manager_.Add(Stage::kServers, Noting("servers"));
  manager_.Add(Stage::kEvents, Noting("events"));
  manager_.Add(Stage::kElection, Noting("election"));
  Run();
  AwaitNote("+workers");
  EXPECT_FALSE(manager_.Stopping());
  manager_.Stop();
  EXPECT_TRUE(result_.get());
  EXPECT_THAT(Notes(),
              ElementsAre("+servers", "+election", "+events", "+caches", "synced", "+workers",
                          "!servers", "!election", "!events", "!caches", "!workers",  //
                          "-workers", ".workers", "-caches", ".caches", "-events", ".events",
                          "-election", ".election", "-servers", ".servers"));
}

TEST_F(ManagerTest, FirstErrorStopsTheWholeAndWins) {
  manager_.Add(Stage::kServers, Noting("servers"));
  manager_.Add(Stage::kCaches, {.name = "watch-jobs", .run = [](std::stop_token stop) {
                                  AwaitStop(stop);
                                  return Status(Fail(ErrorCode::kInternal, "a second error"));
                                }});
  manager_.Add(Stage::kWorkers, {.name = "workers", .run = [this](std::stop_token) {
                                   AwaitNote("+servers");
                                   return Status(Fail(ErrorCode::kForbidden, "no leases for us"));
                                 }});
  Run();
  const Status ended = result_.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kForbidden);
  EXPECT_EQ(ended.error().message, "workers: no leases for us");
}

TEST_F(ManagerTest, EndingWithoutBeingAskedIsAnError) {
  manager_.Add(Stage::kCaches, {.name = "watch", .run = [](std::stop_token) { return Status(); }});
  Run();
  const Status ended = result_.get();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("watch: ended without being asked"));
}

TEST_F(ManagerTest, ExceptionOfARoleIsAnError) {
  manager_.Add(Stage::kServers, {.name = "server", .run = [](std::stop_token) -> Status {
                                   throw std::runtime_error("bind");
                                 }});
  Run();
  const Status ended = result_.get();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("server: exception: bind"));
}

TEST_F(ManagerTest, FailedGateStartsNothingMore) {
  manager_.Add(Stage::kCaches, Noting("caches"));
  manager_.AddGate(Stage::kWorkers, "caches synced", [this](std::stop_token) {
    AwaitNote("+caches");
    return Status(Fail(ErrorCode::kTimeout, "not within 2 min"));
  });
  manager_.AddGate(Stage::kWorkers, "leadership", [this](std::stop_token) {
    Note("asked for leadership");
    return Status();
  });
  manager_.Add(Stage::kWorkers, Noting("workers"));
  Run();
  const Status ended = result_.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "caches synced: not within 2 min");
  EXPECT_THAT(Notes(), ElementsAre("+caches", "!caches", "-caches", ".caches"));
}

TEST_F(ManagerTest, StopWhileWaitingForLeadershipIsNoError) {
  manager_.Add(Stage::kElection, Noting("election"));
  manager_.AddGate(Stage::kWorkers, "leadership", [this](std::stop_token stop) {
    AwaitNote("+election");
    Note("waiting");
    AwaitStop(stop);
    return Status(Fail(ErrorCode::kCancelled, "stopped"));
  });
  manager_.Add(Stage::kWorkers, Noting("workers"));
  Run();
  AwaitNote("waiting");
  manager_.Stop();
  EXPECT_TRUE(result_.get());
  EXPECT_THAT(Notes(), ElementsAre("+election", "waiting", "!election", "-election", ".election"))
      << "no worker was ever started, and the election may release what it never held";
}

TEST_F(ManagerTest, StopBeforeRunStartsNothing) {
  manager_.Add(Stage::kServers, Noting("servers"));
  manager_.Stop();
  manager_.Stop();
  EXPECT_TRUE(manager_.Run());
  EXPECT_TRUE(Notes().empty());
}

TEST_F(ManagerTest, WorkersThatDoNotEndAreNamedAndNothingIsReleasedCleanly) {
  manager_.Add(Stage::kElection, Noting("election"));
  manager_.AddGate(Stage::kWorkers, "up", [this](std::stop_token) {
    AwaitNote("+election");
    return Status();
  });
  manager_.Add(Stage::kWorkers, {.name = "stuck",
                                 .run =
                                     [this](std::stop_token) {
                                       Note("+stuck");
                                       free_.wait();
                                       return Status();
                                     },
                                 .finish = [this](bool) { Note(".stuck"); }});
  Run();
  AwaitNote("+stuck");
  manager_.Stop();
  clock_.AwaitSleepers(1);  // the grace period's thread
  clock_.Advance(DefaultGrace(Stage::kWorkers) - 1ns);
  EXPECT_EQ(result_.wait_for(0s), std::future_status::timeout);
  clock_.Advance(1ns);
  const Status ended = result_.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(ended.error().message, "did not end in time: stuck");
  EXPECT_THAT(Notes(),
              ElementsAre("+election", "+stuck", "!election", "-election", ".election unclean"));
  free_.count_down();  // the destructor joins
}

TEST_F(ManagerTest, GraceCanBeSet) {
  manager_.SetGrace(Stage::kEvents, 5s);
  manager_.Add(Stage::kEvents, {.name = "events", .run = [this](std::stop_token) {
                                  Note("+events");
                                  free_.wait();
                                  return Status();
                                }});
  Run();
  AwaitNote("+events");
  manager_.Stop();
  clock_.AwaitSleepers(1);
  clock_.Advance(5s);
  EXPECT_FALSE(result_.get());
  free_.count_down();
}

}  // namespace
}  // namespace torchsoak::runtime
