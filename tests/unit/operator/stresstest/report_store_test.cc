// The way of a report from a log that was followed into its ConfigMap, with an API server that does
// not always answer.

#include "operator/stresstest/report_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>

#include "common/base/bytes.h"
#include "common/contract/report_frames.h"
#include "operator/stresstest/names.h"
#include "tests/fakes/fake_client.h"
#include "tests/fakes/fake_clock.h"

namespace torchsoak::stresstest {
namespace {

using fakes::FakeClient;
using testing::HasSubstr;

class ReportStoreTest : public testing::Test {
 protected:
  ReportStoreTest() {
    test_.key = {"n", "t"};
    test_.uid = "uid-1";
    job_.pod = "p";
    job_.pod_uid = "pod-1";
    job_.ref = framed_.ref;
    job_.node = Json::object();
    client_.ScriptLog(
        {"n", "p"}, [this](const k8s::LogOptions&, const FakeClient::Sink& sink, std::stop_token) {
          for (const std::string& line : framed_.lines) sink(line + "\n");
          return Status();
        });
    logs_.Start({"n", "p"}, "pod-1", true);
    followed_.wait();
    // Since then the pod is gone, and its log with it.
    client_.ScriptLog(
        {"n", "p"}, [](const k8s::LogOptions&, const FakeClient::Sink&, std::stop_token) -> Status {
          return Fail(ErrorCode::kNotFound, "pods \"p\" not found");
        });
  }

  Expected<ReportView> Store() { return store_.Store(test_, job_, {}); }

  const contract::FramedReport framed_ = *contract::FrameReport(R"({"schema":"torchsoak/v1"})");
  FakeClient client_;
  fakes::FakeClock clock_;
  std::latch followed_{1};
  runtime::LogFollower logs_{client_, [this](const k8s::Uid&) { followed_.count_down(); }, {}};
  ReportStore store_{client_, logs_, clock_};
  TestView test_;
  ReportJob job_;
};

TEST_F(ReportStoreTest, AFollowedLogOutlivesItsPod) {
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->stored) << report->problem;
  EXPECT_EQ(report->sha256, framed_.ref.sha256);
  EXPECT_FALSE(logs_.Has("pod-1")) << "what is stored is not held any more";
}

TEST_F(ReportStoreTest, AServerThatDoesNotAnswerOnceCostsNoReport) {
  client_.SetFault([](const FakeClient::Call& call) -> std::optional<FakeClient::Fault> {
    if (call.verb != FakeClient::Verb::kCreate) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kThrottled, "too many requests"}, false};
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Store().error().code, ErrorCode::kThrottled) << "asked for again";
    clock_.Advance(std::chrono::seconds(1));
  }
  client_.SetFault(nullptr);
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->stored) << report->problem;
}

TEST_F(ReportStoreTest, AServerThatNeverTakesItCostsTheReportAfterTwoMinutes) {
  client_.SetFault([](const FakeClient::Call& call) -> std::optional<FakeClient::Fault> {
    if (call.verb != FakeClient::Verb::kCreate) return std::nullopt;
    return FakeClient::Fault{{ErrorCode::kUnavailable, "no answer"}, false};
  });
  EXPECT_FALSE(Store());
  clock_.Advance(std::chrono::minutes(2));
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->stored);
  EXPECT_THAT(report->problem, HasSubstr("no answer"));
  EXPECT_FALSE(logs_.Has("pod-1"));
}

// delete && apply: the garbage collector has not reached the earlier test's ConfigMap yet.
TEST_F(ReportStoreTest, ANamesakesConfigMapIsWaitedFor) {
  Json earlier = fakes::MakeObject("n", ResultsName("t", 0));
  earlier["metadata"]["ownerReferences"] = OwnedBy("t", "uid-0");
  client_.Put(kConfigMaps, earlier);
  EXPECT_EQ(Store().error().code, ErrorCode::kThrottled);
  client_.Remove(kConfigMaps, {"n", ResultsName("t", 0)});
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->stored) << report->problem;
}

TEST_F(ReportStoreTest, ASomebodyElsesConfigMapIsLeftAlone) {
  client_.Put(kConfigMaps, fakes::MakeObject("n", ResultsName("t", 0)));
  const auto report = Store();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->stored);
  EXPECT_THAT(report->problem, HasSubstr("something else"));
}

}  // namespace
}  // namespace torchsoak::stresstest
