#include "operator/k8s/cache/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace torchsoak::k8s {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr BootTime kNow = 100s;

Record MakeRecord(const std::string& name, const std::string& uid, const std::string& version,
                  const std::string& index = "", const std::string& ns = "n") {
  Record record;
  record.key = {ns, name};
  record.uid = uid;
  record.version = ResourceVersion(version);
  record.index = index;
  record.object = std::make_shared<const Json>(Json{{"uid", uid}, {"version", version}});
  return record;
}

std::string Describe(const Change& change) {
  const auto version = [](const ObjectPtr& object) {
    return object == nullptr ? std::string("-") : GetString(*object, {"version"});
  };
  const char* kind = change.kind == ChangeKind::kAdded     ? "added"
                     : change.kind == ChangeKind::kUpdated ? "updated"
                                                           : "deleted";
  return std::string(kind) + " " + change.key.name + " " + version(change.before) + ">" +
         version(change.after) + (change.final_state_known ? "" : " unknown");
}

std::vector<std::string> Describe(const std::vector<Change>& changes) {
  std::vector<std::string> all;
  for (const Change& change : changes) all.push_back(Describe(change));
  return all;
}

TEST(Store, AddsUpdatesAndErases) {
  Store store(0s);
  EXPECT_THAT(Describe(store.Upsert(MakeRecord("a", "u", "1"), kNow)), ElementsAre("added a ->1"));
  EXPECT_THAT(Describe(store.Upsert(MakeRecord("a", "u", "2"), kNow)),
              ElementsAre("updated a 1>2"));
  EXPECT_THAT(Describe(store.Erase(MakeRecord("a", "u", "3"), kNow)), ElementsAre("deleted a 3>-"));
  EXPECT_EQ(store.Get({"n", "a"}), nullptr);
  EXPECT_EQ(store.Size(), 0U);
}

TEST(Store, OlderOrEqualVersionsChangeNothing) {
  Store store(0s);
  store.Upsert(MakeRecord("a", "u", "10"), kNow);
  EXPECT_THAT(store.Upsert(MakeRecord("a", "u", "9"), kNow), IsEmpty());
  EXPECT_THAT(store.Upsert(MakeRecord("a", "u", "10"), kNow), IsEmpty());
  EXPECT_EQ(GetString(*store.Get({"n", "a"}), {"version"}), "10");
}

TEST(Store, AnotherUidUnderTheSameNameIsDeleteThenAdd) {
  Store store(0s);
  store.Upsert(MakeRecord("a", "old", "5"), kNow);
  EXPECT_THAT(Describe(store.Upsert(MakeRecord("a", "new", "6"), kNow)),
              ElementsAre("deleted a 5>- unknown", "added a ->6"));
  EXPECT_THAT(store.Erase(MakeRecord("a", "old", "7"), kNow), IsEmpty())
      << "the old one's late deletion must not take the new one";
  EXPECT_NE(store.Get({"n", "a"}), nullptr);
}

TEST(Store, ReplaceDeletesWhatIsAbsentWithItsLastState) {
  Store store(0s);
  store.Upsert(MakeRecord("gone", "u1", "1"), kNow);
  store.Upsert(MakeRecord("same", "u2", "2"), kNow);
  store.Upsert(MakeRecord("changed", "u3", "3"), kNow);
  store.Upsert(MakeRecord("reborn", "u4", "4"), kNow);
  const auto changes =
      store.Replace("",
                    {MakeRecord("same", "u2", "2"), MakeRecord("changed", "u3", "8"),
                     MakeRecord("reborn", "u5", "9"), MakeRecord("new", "u6", "10")},
                    kNow);
  EXPECT_THAT(Describe(changes),
              ElementsAre("deleted gone 1>- unknown", "updated changed 3>8",
                          "deleted reborn 4>- unknown", "added reborn ->9", "added new ->10"));
  EXPECT_EQ(store.Size(), 4U);
}

TEST(Store, ReplaceOfOneNamespaceLeavesTheOthers) {
  Store store(0s);
  store.Upsert(MakeRecord("a", "u1", "1", "", "n1"), kNow);
  store.Upsert(MakeRecord("a", "u2", "2", "", "n2"), kNow);
  EXPECT_THAT(store.Replace("n1", {}, kNow), SizeIs(1));
  EXPECT_EQ(store.Get({"n1", "a"}), nullptr);
  EXPECT_NE(store.Get({"n2", "a"}), nullptr);
}

TEST(Store, IndexFollowsEveryChange) {
  Store store(0s);
  store.Upsert(MakeRecord("a", "u1", "1", "owner1"), kNow);
  store.Upsert(MakeRecord("b", "u2", "2", "owner1"), kNow);
  store.Upsert(MakeRecord("c", "u3", "3"), kNow);
  EXPECT_THAT(store.ByIndex("owner1"), SizeIs(2));
  EXPECT_THAT(store.ByIndex(""), IsEmpty());
  store.Upsert(MakeRecord("a", "u1", "4", "owner2"), kNow);
  EXPECT_THAT(store.ByIndex("owner1"), SizeIs(1));
  EXPECT_THAT(store.ByIndex("owner2"), SizeIs(1));
  store.Replace("", {MakeRecord("a", "u1", "4", "owner2")}, kNow);
  EXPECT_THAT(store.ByIndex("owner1"), IsEmpty());
  EXPECT_THAT(store.All(), SizeIs(1));
}

TEST(Store, KeepsTheDeadForTheirTime) {
  Store store(60s);
  store.Upsert(MakeRecord("a", "u1", "1", "owner"), kNow);
  store.Upsert(MakeRecord("b", "u2", "2", "owner"), kNow);
  store.Erase(MakeRecord("a", "u1", "3", "owner"), kNow);
  store.Replace("", {}, kNow + 30s);
  const auto dead = store.DeletedByIndex("owner", kNow + 60s);
  ASSERT_THAT(dead, SizeIs(2));
  EXPECT_EQ(GetString(*dead[0], {"version"}), "3") << "the final state, not the cached one";
  EXPECT_THAT(store.DeletedByIndex("owner", kNow + 61s), SizeIs(1));
  EXPECT_THAT(store.DeletedByIndex("owner", kNow + 91s), IsEmpty());
  EXPECT_THAT(store.ByIndex("owner"), IsEmpty());
}

TEST(Graveyard, IsBoundedInNumber) {
  Graveyard graveyard(1h);
  const auto object = std::make_shared<const Json>();
  for (std::size_t i = 0; i < Graveyard::kMost + 10; ++i) graveyard.Bury("x", object, kNow);
  EXPECT_EQ(graveyard.Size(), Graveyard::kMost);
  graveyard.Clear(kNow + 2h);
  EXPECT_EQ(graveyard.Size(), 0U);
}

TEST(Graveyard, KeepsNothingWhenNotAsked) {
  Graveyard graveyard(0s);
  graveyard.Bury("x", std::make_shared<const Json>(), kNow);
  EXPECT_EQ(graveyard.Size(), 0U);
}

TEST(Store, ReadersNeverSeeHalfAReplace) {
  Store store(0s);
  const auto set = [](const std::string& version) {
    return std::vector{MakeRecord("a", "u1", version, "o"), MakeRecord("b", "u2", version, "o")};
  };
  store.Replace("", set("1"), kNow);
  std::atomic<bool> done = false;
  std::jthread reader([&] {
    while (!done) {
      const auto both = store.ByIndex("o");
      ASSERT_THAT(both, SizeIs(2));
      ASSERT_EQ(GetString(*both[0], {"version"}), GetString(*both[1], {"version"}));
    }
  });
  for (int i = 2; i < 2000; ++i) store.Replace("", set(std::to_string(i)), kNow);
  done = true;
}

}  // namespace
}  // namespace torchsoak::k8s
