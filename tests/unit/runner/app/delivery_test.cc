#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "common/base/bytes.h"
#include "runner/app/local_delivery.h"
#include "runner/app/pod_delivery.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/temp_folder.h"

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

contract::RunResult Passed() {
  contract::RunResult result;
  result.core.uid = "uid-1";
  result.core.state = contract::ResultState::kFinal;
  result.core.outcome =
      contract::Outcome{contract::Verdict::kPassed, contract::Reason::kAllGatesMet, "3 gates met"};
  result.gates = {{"SharedMemory", contract::GateResult::kWarned, false, "", "", "only 64MiB"}};
  result.metrics = {{"training.stepTime", contract::Statistic::kP50, 0.0213, 100}};
  return result;
}

PackedReport Report() {
  const std::string json = R"({"schema":"torchsoak/v1"})";
  return {json, *contract::FrameReport(json)};
}

class DeliveryTest : public testing::Test {
 protected:
  DeliveryTest()
      : out_path_((folder_.path() / "out").string()),
        log_path_((folder_.path() / "termination").string()),
        out_(::open(out_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600)) {}
  ~DeliveryTest() override { ::close(out_); }

  fakes::FakeClock clock_;
  const fakes::TempFolder folder_;
  std::string out_path_;
  std::string log_path_;
  int out_;
};

TEST_F(DeliveryTest, APodsLogEndsWithFramesThatGiveTheReport) {
  PodDelivery delivery(out_, clock_, *TerminationLog::Open(log_path_));
  const PackedReport report = Report();
  delivery.Finish(Passed(), &report);
  std::vector<std::string> lines;
  std::istringstream log(Content(out_path_));
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines.back().starts_with(contract::kFramePrefix));
  const auto decoded = contract::DecodeResult(Content(log_path_));
  ASSERT_TRUE(decoded.result) << decoded.problem;
  const auto gzip = contract::UnframeReport(lines, decoded.result->core.report);
  ASSERT_TRUE(gzip) << gzip.error().message;
  EXPECT_EQ(*Gunzip(*gzip, 1 << 20), report.json);
}

TEST_F(DeliveryTest, AReportThatNobodyReadsIsNotReferredTo) {
  PodDelivery delivery(-1, clock_, *TerminationLog::Open(log_path_));
  const PackedReport report = Report();
  delivery.Finish(Passed(), &report);
  const auto decoded = contract::DecodeResult(Content(log_path_));
  ASSERT_TRUE(decoded.result);
  EXPECT_EQ(decoded.result->core.report.frames, 0);
  EXPECT_EQ(decoded.result->core.outcome->verdict, contract::Verdict::kPassed);
}

TEST_F(DeliveryTest, ACheckpointIsReadable) {
  PodDelivery delivery(out_, clock_, *TerminationLog::Open(log_path_));
  contract::RunResult checkpoint = Passed();
  checkpoint.core.state = contract::ResultState::kCheckpoint;
  checkpoint.core.outcome.reset();
  checkpoint.core.measuring = true;
  delivery.Checkpoint(checkpoint);
  const auto decoded = contract::DecodeResult(Content(log_path_));
  ASSERT_TRUE(decoded.result);
  EXPECT_TRUE(decoded.result->core.measuring);
  EXPECT_FALSE(decoded.damaged);
}

TEST_F(DeliveryTest, ProgressIsOneJsonObjectALine) {
  PodDelivery delivery(out_, clock_, std::nullopt);
  Progress progress;
  progress.step = 7;
  delivery.Show({}, progress);
  const auto line = ParseJson(Content(out_path_));
  ASSERT_TRUE(line);
  EXPECT_EQ((*line)["msg"], "progress");
  EXPECT_EQ((*line)["step"], 7);
}

TEST_F(DeliveryTest, ALocalRunShowsALineOnATerminalAndJsonElsewhere) {
  Progress progress;
  progress.step = 7;
  LocalDelivery(out_, false, "").Show({}, progress);
  const auto line = ParseJson(Content(out_path_));
  ASSERT_TRUE(line);
  EXPECT_EQ((*line)["step"], 7);
  LocalDelivery(out_, true, "").Show({}, progress);
  EXPECT_THAT(Content(out_path_), HasSubstr("\r"));
}

TEST_F(DeliveryTest, ALocalRunEndsWithVerdictNumbersAndPath) {
  LocalDelivery delivery(out_, false, folder_.path().string());
  const PackedReport report = Report();
  delivery.Finish(Passed(), &report);
  const std::string text = Content(out_path_);
  EXPECT_THAT(text, HasSubstr("verdict: Passed (AllGatesMet)\n3 gates met\n"));
  EXPECT_THAT(text, HasSubstr("SharedMemory: Warned, only 64MiB"));
  EXPECT_THAT(text, HasSubstr("step time p50 21.3ms"));
  EXPECT_THAT(text, HasSubstr("report.json"));
  EXPECT_EQ(Content((folder_.path() / "report.json").string()), report.json);
}

}  // namespace
}  // namespace torchsoak::runner
