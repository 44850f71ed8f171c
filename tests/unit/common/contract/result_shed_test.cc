// What leaves the message when it does not fit, in which order, and that it always fits.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "common/contract/result.h"
#include "tests/unit/common/contract/sample_result.h"

namespace torchsoak::contract {
namespace {

RunResult DecodeWhole(const std::string& message) {
  const DecodedResult decoded = DecodeResult(message);
  EXPECT_TRUE(decoded.result) << decoded.problem;
  EXPECT_FALSE(decoded.damaged) << decoded.problem;
  return decoded.result.value_or(RunResult());
}

/// What stands in a message, in the order of the letters: the more letters, the less was shed.
std::string Kept(const RunResult& all, const RunResult& kept) {
  std::string out;
  if (!kept.histogram.empty()) out += 'h';
  if (kept.leaks.size() == all.leaks.size()) out += 'l';
  out += std::string(kept.metrics.size(), 'm');
  if (!kept.place.gpus.empty()) out += 'g';
  std::string passed, others;
  for (const Gate& gate : kept.gates) {
    if (gate.result != GateResult::kPassed) {
      others += 'f';
    } else if (!gate.user) {
      out += 'b';
    } else {
      passed += gate.limit.empty() ? "p" : "np";  // with its numbers, or its name alone
    }
  }
  std::ranges::sort(passed);
  return out + passed + others;
}

TEST(ResultShed, FixedOrderAtEveryLimit) {
  RunResult all = SampleResult();
  all.gates.insert(all.gates.begin() + 1,
                   {{"loss", GateResult::kPassed, true, "0.2", "<= 1", ""},
                    {"memory", GateResult::kPassed, true, "1.9GiB", "<= 4GiB", ""}});
  const std::string order = "hlmmmmgbnnppff";
  ASSERT_EQ(Kept(all, all), order);
  std::size_t last = order.size();
  for (std::size_t limit = kMaxMessageBytes; limit >= kMaxCoreBytes; --limit) {
    const EncodedResult encoded = EncodeResult(all, limit);
    ASSERT_LE(encoded.message.size(), limit);
    const RunResult kept = DecodeWhole(encoded.message);
    const std::string letters = Kept(all, kept);
    ASSERT_EQ(letters, order.substr(order.size() - letters.size())) << limit;
    ASSERT_LE(letters.size(), last);
    ASSERT_EQ(encoded.shed, letters.size() < order.size());
    ASSERT_EQ(kept.core.outcome->message, all.core.outcome->message) << "core is never shed";
    last = letters.size();
  }
}

TEST(ResultShed, NothingIsShedWithoutNeed) {
  const RunResult all = SampleResult();
  const std::size_t exact = EncodeResult(all).message.size();
  EXPECT_FALSE(EncodeResult(all, exact).shed);
  EXPECT_TRUE(EncodeResult(all, exact - 1).shed);
}

// The most that the API takes: 32 thresholds with the longest names, and LossDecreases.
TEST(ResultShed, AllGatesThatAPassNeedsFitWhateverTheirNames) {
  RunResult all = SampleResult();
  all.core.outcome = Outcome{Verdict::kPassed, Reason::kAllGatesMet, std::string(200, 'm')};
  all.gates.clear();
  for (int i = 10; i < 42; ++i) {
    all.gates.push_back({std::string(61, 'n') + std::to_string(i), GateResult::kPassed, true,
                         std::string(60, 'o'), std::string(60, 'l'), ""});
  }
  all.gates.push_back({"LossDecreases", GateResult::kPassed, true, "0.1", "<= 0.5", ""});
  const std::size_t needed = all.gates.size();
  for (const char* name : {"SharedMemory", "Threads", "FiniteLoss", "ExactLeak"}) {
    all.gates.push_back({name, GateResult::kWarned, false, "", "", std::string(200, 'w')});
  }
  const EncodedResult encoded = EncodeResult(all);
  EXPECT_TRUE(encoded.shed);
  const RunResult kept = DecodeWhole(encoded.message);
  ASSERT_EQ(kept.gates.size(), needed);
  for (std::size_t i = 0; i < kept.gates.size(); ++i)
    EXPECT_EQ(kept.gates[i].name, all.gates[i].name);
}

TEST(ResultShed, MetricsAndGatesGoFromTheLast) {
  RunResult all = SampleResult();
  all.histogram.clear();
  all.leaks.clear();
  const std::size_t whole = EncodeResult(all).message.size();
  const RunResult kept = DecodeWhole(EncodeResult(all, whole - 1).message);
  ASSERT_EQ(kept.metrics.size(), all.metrics.size() - 1);
  EXPECT_EQ(kept.metrics.back().name, all.metrics[all.metrics.size() - 2].name);
}

// Report D07: 200 000 samples, 16 GPUs x 500 metrics, a 3 MB error text, 10 000 warnings.
TEST(ResultShed, MonstrousInputFits) {
  RunResult all = SampleResult();
  all.core.outcome->message = std::string(3'000'000, 'x');
  all.core.uid = std::string(100'000, 'u');
  all.core.report.sha256 = std::string(100'000, 's');
  all.place.gpus.assign(500, std::string(5000, 'g'));
  all.gates.assign(10'000,
                   {std::string(3000, 'n'), GateResult::kWarned, true, std::string(3000, 'o'),
                    std::string(3000, 'l'), std::string(30'000, 'm')});
  all.metrics.assign(8000, all.metrics[0]);
  all.leaks.assign(1000, all.leaks[0]);
  all.histogram = std::string(100'000, 'A');
  const EncodedResult encoded = EncodeResult(all);
  EXPECT_TRUE(encoded.shed);
  EXPECT_LE(encoded.message.size(), kMaxMessageBytes);
  const RunResult kept = DecodeWhole(encoded.message);
  EXPECT_EQ(kept.core.outcome->verdict, Verdict::kFailed);
  EXPECT_LE(kept.core.outcome->message.size(), 200U);
  EXPECT_FALSE(kept.gates.empty());
}

TEST(ResultShed, TextThatGrowsWhenEscapedFitsToo) {
  for (const char c : {'\0', '\x01', '"', '\\', '\x7f', '\xFF', '\n'}) {
    RunResult all = SampleResult();
    const std::string text(5000, c);
    all.core.uid = all.core.report.sha256 = all.core.outcome->message = text;
    for (Gate& gate : all.gates) gate.name = gate.message = gate.limit = gate.observed = text;
    for (MetricValue& metric : all.metrics) metric.name = text;
    const EncodedResult encoded = EncodeResult(all);
    ASSERT_LE(encoded.message.size(), kMaxMessageBytes) << static_cast<int>(c);
    const std::size_t core = encoded.message.find("\nts1 ");
    ASSERT_LE(core == std::string::npos ? encoded.message.size() : core, kMaxCoreBytes);
    ASSERT_EQ(DecodeWhole(encoded.message).core.outcome->verdict, Verdict::kFailed);
  }
}

TEST(ResultShed, EveryLimitIsKeptWhateverTheInput) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    RunResult all = SampleResult();
    const auto noise = [&](std::size_t most) {
      std::string text(random() % most, '\0');
      for (char& c : text) c = static_cast<char>(random() & 0xFFU);
      return text;
    };
    all.core.outcome->message = noise(400);
    all.core.uid = noise(100);
    for (Gate& gate : all.gates) gate.message = noise(300);
    all.place.gpus.assign(random() % 20, noise(80));
    const std::size_t limit = random() % 5000;
    const EncodedResult encoded = EncodeResult(all, limit);
    ASSERT_LE(encoded.message.size(), limit);
    if (limit >= kMaxCoreBytes) DecodeWhole(encoded.message);
  }
}

TEST(ResultShed, BelowTheSmallestCoreThereIsNoMessage) {
  const EncodedResult encoded = EncodeResult(SampleResult(), 100);
  EXPECT_EQ(encoded.message, "");
  EXPECT_TRUE(encoded.shed);
}

}  // namespace
}  // namespace torchsoak::contract
