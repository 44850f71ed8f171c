#include "operator/k8s/election/elector.h"

#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "operator/k8s/meta.h"
#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using fakes::FakeClient;
using Fault = std::optional<FakeClient::Fault>;
using Verb = FakeClient::Verb;

const ObjectKey kKey{"ns", "torchsoak"};

std::string HolderIn(const Json& lease) { return GetString(lease, {"spec", "holderIdentity"}); }

/// One replica's elector on a thread of its own.
class Candidate {
 public:
  Candidate(const std::string& identity, FakeClient& client, Clock& clock)
      : leases_(client, kKey),
        elector(ElectorOptions::Scaled(identity, 15s), leases_, clock, [] { return 0.0; },
                {.on_slow_path = [this] { ++slow_paths; }}),
        thread_([this](std::stop_token stop) { ended_.set_value(elector.Run(std::move(stop))); }) {}

  /// Run's result; waits for it.
  Status Ended() { return future_.get(); }

  Status Stop() {
    thread_.request_stop();
    return Ended();
  }

 private:
  LeaseClient leases_;
  std::promise<Status> ended_;
  std::future<Status> future_ = ended_.get_future();

 public:
  std::atomic<int> slow_paths = 0;
  Elector elector;

 private:
  std::jthread thread_;
};

class ElectorTest : public ::testing::Test {
 protected:
  Json Lease() { return client_.Peek(LeaseType(), kKey).value_or(Json()); }

  /// A Lease written by somebody who is no candidate here.
  void PutLease(const std::string& holder, const std::string& renewed, int duration = 15) {
    Json lease = fakes::MakeObject(kKey.ns, kKey.name);
    lease["spec"] = {{"holderIdentity", holder},
                     {"leaseDurationSeconds", duration},
                     {"leaseTransitions", 4},
                     {"renewTime", renewed},
                     {"acquireTime", renewed}};
    client_.Put(LeaseType(), lease);
  }

  /// Time passes in the electors' steps; `sleepers` of them are asleep before and after each.
  void Pass(std::chrono::seconds time, std::size_t sleepers) {
    for (auto passed = 0s; passed < time; passed += 1s) {
      clock_.AwaitSleepers(sleepers);
      clock_.Advance(1s);
    }
    clock_.AwaitSleepers(sleepers);
  }

  fakes::FakeClock clock_;
  FakeClient client_;
};

TEST_F(ElectorTest, FirstCandidateCreatesTheLeaseAndLeads) {
  Candidate a("a", client_, clock_);
  EXPECT_TRUE(a.elector.WaitForLeadership({}));
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_EQ(a.elector.Leader(), "a");
  const Json lease = Lease();
  EXPECT_EQ(HolderIn(lease), "a");
  EXPECT_EQ(GetInt(lease, {"spec", "leaseDurationSeconds"}), 15);
  EXPECT_EQ(GetInt(lease, {"spec", "leaseTransitions"}), 0);
  EXPECT_EQ(GetString(lease, {"spec", "renewTime"}), FormatMicroTime(clock_.Wall()));
  EXPECT_TRUE(a.Stop());
  EXPECT_FALSE(a.elector.IsLeader());
  EXPECT_EQ(HolderIn(Lease()), "a") << "ending is not releasing";
}

TEST_F(ElectorTest, RenewsEveryTwoSecondsByTheCachedVersion) {
  Candidate a("a", client_, clock_);
  Pass(60s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_EQ(client_.Count(Verb::kUpdate), 30U);
  EXPECT_EQ(client_.Count(Verb::kGet), 1U);
  EXPECT_EQ(a.slow_paths, 0);
}

TEST_F(ElectorTest, StandbyWaitsForStalenessThatItSawItself) {
  PutLease("gone", "1999-01-01T00:00:00.000000Z", 20);  // long ago by its own time stamp
  Candidate b("b", client_, clock_);
  Pass(19s, 1);
  EXPECT_FALSE(b.elector.IsLeader());
  EXPECT_EQ(HolderIn(Lease()), "gone");
  Pass(1s, 1);
  EXPECT_TRUE(b.elector.IsLeader());
  EXPECT_EQ(HolderIn(Lease()), "b");
  EXPECT_EQ(GetInt(Lease(), {"spec", "leaseTransitions"}), 5);
  EXPECT_EQ(GetString(Lease(), {"spec", "acquireTime"}), FormatMicroTime(clock_.Wall()));
}

TEST_F(ElectorTest, AnyChangeOfTheRecordIsASignOfLife) {
  PutLease("other", "2099-01-01T00:00:00.000000Z");
  Candidate b("b", client_, clock_);
  for (int i = 0; i < 5; ++i) {
    Pass(14s, 1);
    PutLease("other", "2099-01-01T00:00:0" + std::to_string(i + 1) + ".000000Z");
  }
  EXPECT_FALSE(b.elector.IsLeader());
  Pass(18s, 1);
  EXPECT_TRUE(b.elector.IsLeader());
}

TEST_F(ElectorTest, FrozenLeaderIsFencedBeforeTheOtherLeadsAndNeverWritesAgain) {
  std::latch thaw(1);
  std::atomic<bool> freeze = false;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (freeze && call.verb == Verb::kUpdate && HolderIn(call.body) == "a") thaw.wait();
    return std::nullopt;
  });
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  Candidate b("b", client_, clock_);
  clock_.AwaitSleepers(2);
  freeze = true;  // as by SIGSTOP: whatever a does next, it does after the thaw
  int closed_at = 0;
  int second = 0;
  while (!b.elector.IsLeader()) {
    clock_.Advance(1s);
    ++second;
    clock_.AwaitSleepers(second < 2 ? 2 : 1);
    if (closed_at == 0 && !a.elector.IsLeader()) closed_at = second;
    ASSERT_FALSE(a.elector.IsLeader() && b.elector.IsLeader());
  }
  EXPECT_EQ(closed_at, 10);
  EXPECT_GE(second, 15);
  thaw.count_down();
  const Status ended = a.Ended();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kConflict);
  EXPECT_EQ(HolderIn(Lease()), "b");
  EXPECT_TRUE(a.elector.Release({}));
  EXPECT_EQ(HolderIn(Lease()), "b") << "what is not ours is not released";
}

TEST_F(ElectorTest, OneSlowWriteDoesNotLoseTheLease) {
  std::atomic<int> slow = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kUpdate || slow-- <= 0) return std::nullopt;
    clock_.Advance(4s);  // the client's own deadline
    return FakeClient::Fault{{ErrorCode::kTimeout, "no answer in 4 s"}, true};
  });
  Candidate a("a", client_, clock_);
  Pass(20s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_EQ(a.slow_paths, 1);
}

TEST_F(ElectorTest, WithoutAServerTheLeaderEndsAtTheRenewDeadline) {
  std::atomic<bool> down = false;
  client_.SetFault([&](const FakeClient::Call&) -> Fault {
    if (!down) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnavailable, "connection refused"}};
  });
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  down = true;
  Pass(9s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  clock_.Advance(1s);
  EXPECT_FALSE(a.elector.IsLeader()) << "the fence needs nobody to run";
  const Status ended = a.Ended();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kConflict);
}

TEST_F(ElectorTest, LosesTheRoundOnConflict) {
  PutLease("", "2026-01-01T00:00:00.000000Z");
  std::atomic<int> races = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb == Verb::kUpdate && races-- > 0) PutLease("quicker", "2026-01-01T00:00:01Z");
    return std::nullopt;
  });
  Candidate b("b", client_, clock_);
  clock_.AwaitSleepers(1);
  EXPECT_FALSE(b.elector.IsLeader());
  EXPECT_EQ(HolderIn(Lease()), "quicker");
}

TEST_F(ElectorTest, LostReplyOfTheCreateIsFoundOutInTheNextRound) {
  std::atomic<int> lost = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kCreate || lost-- <= 0) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnknown, "connection lost"}, true};
  });
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  EXPECT_FALSE(a.elector.IsLeader());
  Pass(2s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_EQ(GetInt(Lease(), {"spec", "leaseTransitions"}), 0);
}

TEST_F(ElectorTest, KeepsForeignFieldsOfTheLease) {
  Json lease = fakes::MakeObject(kKey.ns, kKey.name, {{"team", "x"}});
  lease["spec"] = {{"holderIdentity", ""}, {"preferredHolder", "p"}};
  client_.Put(LeaseType(), lease);
  Candidate a("a", client_, clock_);
  EXPECT_TRUE(a.elector.WaitForLeadership({}));
  EXPECT_EQ(GetString(Lease(), {"metadata", "labels", "team"}), "x");
  EXPECT_EQ(GetString(Lease(), {"spec", "preferredHolder"}), "p");
}

TEST_F(ElectorTest, DeletedLeaseIsMadeAgain) {
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  client_.Remove(LeaseType(), kKey);
  Pass(2s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_EQ(HolderIn(Lease()), "a");
}

TEST_F(ElectorTest, ReleasedLeaseIsTakenWithoutWaiting) {
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  Candidate b("b", client_, clock_);
  clock_.AwaitSleepers(2);
  EXPECT_TRUE(a.Stop());
  EXPECT_FALSE(a.elector.IsLeader()) << "not leading in memory before the release";
  EXPECT_TRUE(a.elector.Release({}));
  EXPECT_EQ(HolderIn(Lease()), "");
  EXPECT_EQ(GetInt(Lease(), {"spec", "leaseDurationSeconds"}), 1);
  Pass(2s, 1);
  EXPECT_TRUE(b.elector.IsLeader());
}

TEST_F(ElectorTest, ReleaseIsTriedOnceMoreAfterAConflict) {
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  EXPECT_TRUE(a.Stop());
  std::atomic<int> conflicts = 1;
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kUpdate || conflicts-- <= 0) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kConflict, "409"}};
  });
  EXPECT_TRUE(a.elector.Release({}));
  EXPECT_EQ(HolderIn(Lease()), "");
  conflicts = 2;
  PutLease("a", "2026-01-01T00:00:00.000000Z");
  const Status released = a.elector.Release({});
  ASSERT_FALSE(released);
  EXPECT_EQ(released.error().code, ErrorCode::kConflict);
}

TEST_F(ElectorTest, WhoNeverTriedToHoldReleasesNothing) {
  PutLease("other", "2026-01-01T00:00:00.000000Z");
  Candidate b("b", client_, clock_);
  clock_.AwaitSleepers(1);
  EXPECT_TRUE(b.Stop());
  const std::size_t calls = client_.Calls().size();
  EXPECT_TRUE(b.elector.Release({}));
  EXPECT_EQ(client_.Calls().size(), calls);
}

TEST_F(ElectorTest, RetiredStandbyNeverLeads) {
  PutLease("other", "2026-01-01T00:00:00.000000Z");
  Candidate b("b", client_, clock_);
  clock_.AwaitSleepers(1);
  b.elector.Retire();
  EXPECT_TRUE(b.Ended());
  const Status waited = b.elector.WaitForLeadership({});
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(HolderIn(Lease()), "other");
}

TEST_F(ElectorTest, RetiredLeaderGoesOnRenewing) {
  Candidate a("a", client_, clock_);
  clock_.AwaitSleepers(1);
  a.elector.Retire();
  Pass(30s, 1);
  EXPECT_TRUE(a.elector.IsLeader());
  EXPECT_TRUE(a.Stop());
}

TEST_F(ElectorTest, AcquiringWhileBeingRetiredDoesNotLead) {
  std::unique_ptr<Candidate> a;
  std::latch made(1);
  client_.SetFault([&](const FakeClient::Call& call) -> Fault {
    if (call.verb != Verb::kCreate) return std::nullopt;
    made.wait();
    a->elector.Retire();
    return FakeClient::Fault{{ErrorCode::kUnknown, "stopped in the middle"}, true};
  });
  a = std::make_unique<Candidate>("a", client_, clock_);
  made.count_down();
  EXPECT_TRUE(a->Ended());
  EXPECT_FALSE(a->elector.IsLeader());
  client_.SetFault(nullptr);
  EXPECT_TRUE(a->elector.Release({}));
  EXPECT_TRUE(HolderIn(Lease()).empty()) << "what may have been written is given back";
}

TEST_F(ElectorTest, UnusableOptionsAreAnErrorOfRun) {
  LeaseClient leases(client_, kKey);
  Elector elector({}, leases, clock_, [] { return 0.0; });
  const Status ended = elector.Run({});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(elector.WaitForLeadership({}));
}

}  // namespace
}  // namespace torchsoak::k8s
