// The loop around the step: what reaches the sink, whatever the stream looks like.

#include "operator/k8s/watch/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::k8s {
namespace {

using fakes::FakeClient;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

const ResourceType kPods{"", "v1", "pods", "Pod"};

/// Writes down what happens, and stops the reflector when `last` has happened.
class Recorder final : public ReflectorSink {
 public:
  void KeepPage(std::vector<Json>&& items) override {
    for (const Json& item : items) page_.push_back(Name(item));
  }
  void DropPages() override { page_.clear(); }
  void Replace(const ResourceVersion& version) override {
    std::string names;
    for (const auto& name : page_) names += " " + name;
    page_.clear();
    Note("replace@" + version.text() + names);
  }
  void Upsert(Json&& object, const ResourceVersion& version) override {
    Note("upsert " + Name(object) + "@" + version.text());
  }
  void Erase(Json&& object, const ResourceVersion& version) override {
    Note("erase " + Name(object) + "@" + version.text());
  }
  void Advance(const ResourceVersion& version) override { Note("advance@" + version.text()); }
  void OnProgress() override {}
  void OnRestart(RestartCause cause, const std::string&) override {
    Note(std::string(ToString(cause)));
  }

  std::stop_token StopAt(const std::string& last) {
    last_ = last;
    return stop_.get_token();
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  static std::string Name(const Json& object) { return GetString(object, {"metadata", "name"}); }
  void Note(const std::string& note) {
    notes_.push_back(note);
    if (note == last_) stop_.request_stop();
  }

  std::vector<std::string> page_;
  std::vector<std::string> notes_;
  std::string last_;
  std::stop_source stop_;
};

class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest() { clock_.SetAutoAdvance(true); }

  void RunUntil(const std::string& last) {
    Reflector reflector({kPods, "", "app=x"}, client_, clock_, sink_, [] { return 0.0; });
    reflector.Run(sink_.StopAt(last));
  }

  static Json Pod(const std::string& name, const std::string& version) {
    Json pod = fakes::MakeObject("n", name, {{"app", "x"}});
    pod["metadata"]["uid"] = "uid-of-" + name;
    pod["metadata"]["resourceVersion"] = version;
    return pod;
  }

  static std::string Bookmark(const std::string& version) {
    return fakes::WatchLine("BOOKMARK", {{"metadata", {{"resourceVersion", version}}}});
  }

  /// The watch gives these bytes, cut once at `cut`, and ends as `end` says.
  void ScriptBytes(const std::string& bytes, std::size_t cut, Status end = {}) {
    client_.ScriptWatch(
        [=](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) -> Status {
          const std::string_view all = bytes;
          if (!sink(all.substr(0, cut)) || !sink(all.substr(cut))) {
            return Fail(ErrorCode::kCancelled, "ended by the reader");
          }
          return end;
        });
  }

  fakes::FakeClock clock_;
  FakeClient client_;
  Recorder sink_;
};

TEST_F(ReflectorTest, ListsAllPagesThenWatchesFromTheListsVersion) {
  for (int i = 0; i < 1201; ++i) {
    client_.Put(kPods, fakes::MakeObject("n", "p" + std::to_string(i), {{"app", "x"}}));
  }
  client_.Put(kPods, fakes::MakeObject("n", "other", {{"app", "y"}}));
  const std::string version = client_.Version().text();
  ScriptBytes(Bookmark("9000"), 0);
  RunUntil("advance@9000");
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 3U);
  const auto calls = client_.Calls();
  EXPECT_EQ(calls[0].list.limit, 500);
  EXPECT_EQ(calls[0].list.label_selector, "app=x");
  EXPECT_EQ(calls[3].verb, FakeClient::Verb::kWatch);
  EXPECT_EQ(calls[3].version.text(), version);
  EXPECT_EQ(calls[3].timeout_seconds, 300);
  EXPECT_EQ(sink_.notes().front().find("other"), std::string::npos);
}

TEST_F(ReflectorTest, SameEventsWhereverTheRecordedStreamIsCut) {
  Json unicode = Pod("ü", "202");
  unicode["metadata"]["annotations"] = {{"note", "länger als ein Byte: €😀"}};
  const std::string stream = fakes::WatchLine("ADDED", Pod("a", "201")) +
                             fakes::WatchLine("ADDED", unicode) + "\n" +
                             fakes::WatchLine("MODIFIED", Pod("a", "203")) + Bookmark("204") +
                             fakes::WatchLine("DELETED", Pod("a", "205")) + Bookmark("206");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Recorder sink;
    Reflector reflector({kPods, "", ""}, client_, clock_, sink, [] { return 0.0; });
    ScriptBytes(stream, cut);
    reflector.Run(sink.StopAt("advance@206"));
    ASSERT_THAT(sink.notes(),
                ElementsAre("replace@100", "upsert a@201", "upsert ü@202", "upsert a@203",
                            "advance@204", "erase a@205", "advance@206"))
        << "cut at " << cut;
  }
}

TEST_F(ReflectorTest, EventCutOffByTheConnectionComesAgainOnTheNextStream) {
  const std::string first = fakes::WatchLine("ADDED", Pod("a", "201"));
  const std::string second = fakes::WatchLine("ADDED", Pod("b", "202"));
  ScriptBytes(first + second.substr(0, second.size() / 2), 7,
              Fail(ErrorCode::kUnavailable, "connection reset"));
  ScriptBytes(second, 3);
  RunUntil("upsert b@202");
  EXPECT_THAT(sink_.notes(), ElementsAre("replace@100", "upsert a@201", "lost", "upsert b@202"));
  EXPECT_EQ(client_.Calls().back().version.text(), "201");
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 1U) << "no relist";
}

TEST_F(ReflectorTest, UnreadableLineListsAgain) {
  for (const std::string& bad :
       {std::string("{\"type\":\"ADDED\"\n"), fakes::WatchLine("SURPRISE", Pod("b", "202"))}) {
    Recorder sink;
    Reflector reflector({kPods, "", ""}, client_, clock_, sink, [] { return 0.0; });
    ScriptBytes(fakes::WatchLine("ADDED", Pod("a", "50")) + bad +
                    fakes::WatchLine("ADDED", Pod("c", "203")),
                1);
    ScriptBytes(Bookmark("900"), 0);
    reflector.Run(sink.StopAt("advance@900"));
    EXPECT_THAT(sink.notes(), ElementsAre("replace@100", "upsert a@100", "malformed", "replace@100",
                                          "advance@900"));
  }
}

TEST_F(ReflectorTest, LineOverTheCapListsAgain) {
  client_.ScriptWatch(
      [](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) -> Status {
        const std::string piece(1U << 20U, 'x');
        int pieces = 0;
        while (sink(piece)) ++pieces;
        EXPECT_EQ(pieces, 16);
        return Fail(ErrorCode::kCancelled, "ended by the reader");
      });
  ScriptBytes(Bookmark("900"), 0);
  RunUntil("advance@900");
  EXPECT_THAT(sink_.notes(), ElementsAre("replace@100", "malformed", "replace@100", "advance@900"));
}

TEST_F(ReflectorTest, TwoHundredServerRestartsCostOneList) {
  int watches = 0;
  client_.SetFault([&](const FakeClient::Call& call) -> std::optional<FakeClient::Fault> {
    if (call.verb != FakeClient::Verb::kWatch || ++watches % 2 == 0) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnavailable, "connection refused"}};
  });
  for (int i = 0; i < 200; ++i) ScriptBytes(Bookmark(std::to_string(200 + i)), 0);
  RunUntil("advance@399");
  EXPECT_EQ(client_.Count(FakeClient::Verb::kList), 1U);
}

TEST_F(ReflectorTest, StopsWithoutWaitingForTheServer) {
  client_.ScriptWatch(
      [](const FakeClient::Call&, const FakeClient::Sink& sink, std::stop_token) -> Status {
        EXPECT_TRUE(sink(Bookmark("300")));
        EXPECT_FALSE(sink(Bookmark("301"))) << "stopped: the stream is given up";
        return Fail(ErrorCode::kCancelled, "ended by the reader");
      });
  RunUntil("advance@300");
  EXPECT_THAT(sink_.notes(), ElementsAre("replace@100", "advance@300"));
}

}  // namespace
}  // namespace torchsoak::k8s
