#include "common/contract/result.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tests/unit/common/contract/sample_result.h"

namespace torchsoak::contract {
namespace {

TEST(Result, RoundTrip) {
  const RunResult sample = SampleResult();
  const EncodedResult encoded = EncodeResult(sample);
  EXPECT_FALSE(encoded.shed);
  EXPECT_LE(encoded.message.size(), kMaxMessageBytes);
  const DecodedResult decoded = DecodeResult(encoded.message);
  ASSERT_TRUE(decoded.result) << decoded.problem;
  EXPECT_FALSE(decoded.damaged) << decoded.problem;
  EXPECT_FALSE(decoded.shed);
  EXPECT_EQ(Fingerprint(*decoded.result), Fingerprint(sample));
}

TEST(Result, CoreComesFirstAndIsReadableByPeople) {
  const std::string message = EncodeResult(SampleResult()).message;
  EXPECT_TRUE(message.starts_with("ts1 core "));
  const std::size_t end = message.find("\nts1 gates ");
  ASSERT_NE(end, std::string::npos);
  EXPECT_LE(end + 1, kMaxCoreBytes);
  EXPECT_NE(message.find("\"verdict\":\"Failed\""), std::string::npos);
}

TEST(Result, CheckpointHasNoOutcome) {
  RunResult sample = SampleResult();
  sample.core.state = ResultState::kCheckpoint;
  const DecodedResult decoded = DecodeResult(EncodeResult(sample).message);
  ASSERT_TRUE(decoded.result);
  EXPECT_FALSE(decoded.result->core.outcome);
  EXPECT_TRUE(decoded.result->core.measuring);
}

TEST(Result, EmptySectionsAreLeftOut) {
  RunResult sample;
  sample.core.uid = "u";
  const std::string message = EncodeResult(sample).message;
  EXPECT_EQ(message.find("ts1 gates"), std::string::npos);
  const DecodedResult decoded = DecodeResult(message);
  ASSERT_TRUE(decoded.result) << decoded.problem;
  EXPECT_FALSE(decoded.damaged) << decoded.problem;
  EXPECT_EQ(decoded.result->core.report.frames, 0);
}

TEST(Result, EveryFiniteDoubleComesBackBitForBit) {
  std::mt19937_64 random(42);
  for (int round = 0; round < 300; ++round) {
    RunResult sample;
    sample.metrics.resize(10);
    for (MetricValue& metric : sample.metrics) {
      metric.name = "training.loss";
      double value = std::bit_cast<double>(random());
      metric.value = std::isfinite(value) ? value : 5e-324;
    }
    sample.metrics[0].value = -0.0;
    sample.metrics[1].value = std::numeric_limits<double>::max();
    sample.metrics[2].value = std::numeric_limits<double>::denorm_min();
    const DecodedResult decoded = DecodeResult(EncodeResult(sample).message);
    ASSERT_TRUE(decoded.result);
    ASSERT_EQ(Fingerprint(*decoded.result), Fingerprint(sample));
    ASSERT_TRUE(std::signbit(*decoded.result->metrics[0].value));
  }
}

// Report D09: what is not a number is absent with its count, never null, 0 or a sentinel.
TEST(Result, NanAndInfinityNeverLeave) {
  RunResult sample = SampleResult();
  sample.metrics[0].value = std::nan("");
  sample.metrics[1].value = -std::numeric_limits<double>::infinity();
  sample.leaks[0].bytes_per_step = std::nan("");
  const EncodedResult encoded = EncodeResult(sample);
  EXPECT_TRUE(encoded.shed) << "it is said that something is missing";
  for (const char* word : {"null", "nan", "inf", "NaN"}) {
    EXPECT_EQ(encoded.message.find(word), std::string::npos) << word;
  }
  const DecodedResult decoded = DecodeResult(encoded.message);
  ASSERT_TRUE(decoded.result);
  EXPECT_TRUE(decoded.shed);
  EXPECT_FALSE(decoded.result->metrics[0].value);
  EXPECT_EQ(decoded.result->metrics[0].samples, 12'345);
  EXPECT_FALSE(decoded.result->metrics[1].value);
}

TEST(Result, WordsAndBack) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ParseGateResult(ToString(static_cast<GateResult>(i))), static_cast<GateResult>(i));
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(ParseLeakResult(ToString(static_cast<LeakResult>(i))), static_cast<LeakResult>(i));
  }
  EXPECT_FALSE(ParseGateResult("passed"));
  EXPECT_FALSE(ParseLeakResult(""));
}

}  // namespace
}  // namespace torchsoak::contract
