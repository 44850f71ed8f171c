#include "operator/stresstest/status.h"

#include <gtest/gtest.h>

#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

TEST(TestStatus, RoundTripsEverythingItWrites) {
  World world;
  world.Apply(world.Step());
  world.AddPod().Schedule("node-1").Run();
  world.Step();
  world.Exit(0, Message(FinalResult(contract::Verdict::kPassed, contract::Reason::kAllGatesMet)));
  world.Step();
  const Json once = StatusToJson(world.status());
  EXPECT_EQ(StatusToJson(StatusFromJson(once)), once);
}

TEST(TestStatus, TransitionTimeMovesOnlyWhenTheStatusFlips) {
  TestStatus status;
  status.Set({"Running", "False", "A", "", kStart, 1});
  status.Set({"Running", "False", "B", "other words", kStart + std::chrono::seconds(5), 2});
  EXPECT_EQ(status.Find("Running")->since, kStart);
  status.Set({"Running", "True", "C", "", kStart + std::chrono::seconds(9), 2});
  EXPECT_EQ(status.Find("Running")->since, kStart + std::chrono::seconds(9));
}

// YAML, as which the API server reads it, knows no control characters.
TEST(TestStatus, HoldsNothingThatTheServerOrATerminalWouldChokeOn) {
  TestStatus status;
  status.message = "a\x7f\x1b[31m\u0085\ufffe\uffffb\n\tü€😀";
  status.environment = {{"sourceRevision", "x\u009by"}};
  status.thresholds = Json::array({{{"name", "g"}, {"message", "\x01"}}});
  const Json json = StatusToJson(status);
  EXPECT_EQ(json["message"], "a??[31m???b\n\tü€😀");
  EXPECT_EQ(json["environment"]["sourceRevision"], "x?y");
  EXPECT_EQ(json["thresholds"][0]["message"], "?");
  EXPECT_EQ(StatusToJson(StatusFromJson(json)), json) << "or it would be written again and again";
}

TEST(TestStatus, CutsAtCharacterBoundaries) {
  EXPECT_EQ(Cut("abc", 3), "abc");
  EXPECT_EQ(Cut("abcdefgh", 6), "abc…");
  EXPECT_EQ(Cut("äöüäöü", 8), "äö…");
  EXPECT_EQ(Cut("äöüäöü", 9).size(), 9U);
}

TEST(TestStatus, ForeignStatusIsReadWithoutHarm) {
  for (const char* text : {"null", "[]", R"({"conditions": 7, "runs": "x", "attempt": "1"})",
                           R"({"conditions": [null, 1, {"type": 5}], "startTime": "yesterday"})"}) {
    const TestStatus status = StatusFromJson(Json::parse(text));
    EXPECT_EQ(status.attempt, 0);
    EXPECT_FALSE(status.start);
  }
}

}  // namespace
}  // namespace torchsoak::stresstest
