#include "common/contract/verdict.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace torchsoak::contract {
namespace {

using V = Verdict;
using R = Reason;

const std::vector<V> kVerdicts = {V::kPassed, V::kInconclusive, V::kError, V::kFailed, V::kAborted};
constexpr int kReasons = static_cast<int>(R::kAborted) + 1;

TEST(Verdict, WordsAndBack) {
  for (const V verdict : kVerdicts) EXPECT_EQ(ParseVerdict(ToString(verdict)), verdict);
  for (const char* text : {"", "passed", "Pass", "Warn", "Skipped"})
    EXPECT_FALSE(ParseVerdict(text));
  std::set<std::string_view> names;
  for (int i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<R>(i);
    EXPECT_EQ(ParseReason(ToString(reason)), reason);
    names.insert(ToString(reason));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kReasons));
  EXPECT_FALSE(ParseReason("Succeeded"));
}

TEST(Verdict, StrongestIsTheLargest) {
  EXPECT_LT(V::kPassed, V::kInconclusive);
  EXPECT_LT(V::kInconclusive, V::kError);
  EXPECT_LT(V::kError, V::kFailed);
  EXPECT_LT(V::kFailed, V::kAborted);
}

// The table of contract.md, section 1.
TEST(Verdict, FitsTheContractsTable) {
  const std::vector<std::pair<V, std::vector<R>>> table = {
      {V::kPassed, {R::kAllGatesMet}},
      {V::kFailed,
       {R::kThresholdBreached, R::kLeakFound, R::kWrongResult, R::kNonFiniteLoss,
        R::kRegressionFound, R::kPeerOutlier, R::kGPUFault, R::kOOMKilled, R::kRunnerCrashed,
        R::kStalled}},
      {V::kError,
       {R::kInvalidSpec, R::kNameConflict, R::kDeviceCountMismatch, R::kPreflightFailed,
        R::kImagePull, R::kStartupTimeout, R::kTargetNotReady, R::kOOMKilled, R::kRunnerCrashed}},
      {V::kInconclusive,
       {R::kNodesUntested, R::kUnschedulable, R::kPodDeleted, R::kEvicted, R::kNodeLost,
        R::kAdmissionError, R::kRunTimeout, R::kResultMissing, R::kResultTruncated,
        R::kResultContradictory, R::kTooFewSamples, R::kUnstable}},
      {V::kAborted, {R::kAborted}}};
  for (const auto& [verdict, reasons] : table) {
    const std::set<R> fitting(reasons.begin(), reasons.end());
    for (int i = 0; i < kReasons; ++i) {
      const auto reason = static_cast<R>(i);
      EXPECT_EQ(Fits(verdict, reason), fitting.count(reason) == 1)
          << ToString(verdict) << "/" << ToString(reason);
    }
  }
}

TEST(Verdict, ExitCodes) {
  EXPECT_EQ(ExitCodeOf(V::kPassed, R::kAllGatesMet), 0);
  EXPECT_EQ(ExitCodeOf(V::kFailed, R::kThresholdBreached), 1);
  EXPECT_EQ(ExitCodeOf(V::kError, R::kInvalidSpec), 2);
  EXPECT_EQ(ExitCodeOf(V::kInconclusive, R::kTooFewSamples), 3);
  EXPECT_EQ(ExitCodeOf(V::kAborted, R::kAborted), 3);
  EXPECT_EQ(ExitCodeOf(V::kError, R::kPreflightFailed), 4);
  EXPECT_EQ(ExitCodeOf(V::kFailed, R::kStalled), 124);
  EXPECT_EQ(ExitCodeOf(V::kInconclusive, R::kRunTimeout), 124);
  EXPECT_EQ(ExitCodeOf(V::kError, R::kStartupTimeout), 124);
}

}  // namespace
}  // namespace torchsoak::contract
