// Report D08: what a kubelet leaves of a message, and what others may have written there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/contract/result.h"
#include "tests/unit/common/contract/sample_result.h"

namespace torchsoak::contract {
namespace {

/// Every number and text that a cut message still claims must be one of the whole one.
void ExpectNothingInvented(const RunResult& whole, const RunResult& part) {
  const auto isSubset = [](const auto& some, const auto& all, auto text) {
    return std::all_of(some.begin(), some.end(), [&](const auto& item) {
      return std::any_of(all.begin(), all.end(),
                         [&](const auto& other) { return text(item) == text(other); });
    });
  };
  const auto gate = [](const Gate& g) { return Fingerprint({.gates = {g}}); };
  const auto metric = [](const MetricValue& m) { return Fingerprint({.metrics = {m}}); };
  const auto leak = [](const Leak& l) { return Fingerprint({.leaks = {l}}); };
  ASSERT_EQ(Fingerprint({.core = part.core}), Fingerprint({.core = whole.core}));
  ASSERT_TRUE(isSubset(part.gates, whole.gates, gate));
  ASSERT_TRUE(isSubset(part.metrics, whole.metrics, metric));
  ASSERT_TRUE(isSubset(part.leaks, whole.leaks, leak));
  ASSERT_TRUE(part.histogram.empty() || part.histogram == whole.histogram);
}

TEST(ResultDamage, HeadKeptAtEveryByteIsSeenAndNeverHalfRead) {
  const RunResult whole = SampleResult();
  const std::string message = EncodeResult(whole).message;
  const std::size_t core = message.find("\nts1 ") + 1;
  for (std::size_t n = 0; n < message.size(); ++n) {
    const DecodedResult decoded = DecodeResult(message.substr(0, n));
    ASSERT_TRUE(decoded.damaged) << n << ": a cut at a section's border must be seen too";
    ASSERT_FALSE(decoded.problem.empty());
    ASSERT_EQ(decoded.result.has_value(), n >= core) << n;
    if (decoded.result) ExpectNothingInvented(whole, *decoded.result);
  }
}

TEST(ResultDamage, TailKeptAtEveryByteGivesNoResultWithoutCore) {
  const std::string message = EncodeResult(SampleResult()).message;
  for (std::size_t n = 1; n < message.size(); ++n) {
    const DecodedResult decoded = DecodeResult(message.substr(n));
    ASSERT_FALSE(decoded.result) << n;
    ASSERT_TRUE(decoded.damaged);
  }
}

// 100, 4095, 4096, 4097 and 9000 bytes of results, as the kubelet hands them on.
TEST(ResultDamage, SizesAroundTheKubeletsLimits) {
  RunResult sample = SampleResult();
  for (int i = 0; i < 400; ++i) sample.metrics.push_back(sample.metrics[0]);
  for (const std::size_t size : {100U, 4095U, 4096U, 4097U, 9000U}) {
    const EncodedResult encoded = EncodeResult(sample, size);
    ASSERT_LE(encoded.message.size(), size);
    // A file over 4096 bytes keeps its tail.
    const std::size_t cut = encoded.message.size() > 4096 ? encoded.message.size() - 4096 : 0;
    const DecodedResult decoded = DecodeResult(encoded.message.substr(cut));
    EXPECT_EQ(decoded.result.has_value(), size >= kMaxCoreBytes && cut == 0) << size;
    // Eight containers: 1.5 KB of its head for each.
    const DecodedResult head = DecodeResult(encoded.message.substr(0, 1536));
    EXPECT_EQ(head.result.has_value(), size >= kMaxCoreBytes) << size;
    EXPECT_TRUE(head.damaged);
    if (!head.result) continue;
    EXPECT_EQ(head.result->core.outcome->reason, Reason::kThresholdBreached);
  }
}

TEST(ResultDamage, EveryFlippedBitIsSeen) {
  const RunResult whole = SampleResult();
  const std::string message = EncodeResult(whole).message;
  for (std::size_t at = 0; at < message.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = message;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      const DecodedResult decoded = DecodeResult(bad);
      ASSERT_TRUE(decoded.damaged) << at << " " << bit;
      if (decoded.result) ExpectNothingInvented(whole, *decoded.result);
    }
  }
}

TEST(ResultDamage, TextOfOthersAroundItDoesNotHideIt) {
  const std::string message = EncodeResult(SampleResult()).message;
  for (const std::string& text : {"Segmentation fault\n" + message, message + "terminate called"}) {
    const DecodedResult decoded = DecodeResult(text);
    ASSERT_TRUE(decoded.result) << decoded.problem;
    EXPECT_TRUE(decoded.damaged);
  }
}

TEST(ResultDamage, TwoMessagesAreNoEvidence) {
  RunResult other = SampleResult();
  other.core.outcome = Outcome{Verdict::kPassed, Reason::kAllGatesMet, "ok"};
  const DecodedResult decoded =
      DecodeResult(EncodeResult(SampleResult()).message + EncodeResult(other).message);
  EXPECT_FALSE(decoded.result);
  EXPECT_NE(decoded.problem.find("twice"), std::string::npos);
}

std::string Section(const std::string& name, const std::string& body) {
  return "ts1 " + name + " " + std::to_string(body.size()) + " " + Crc32Hex(name + " " + body) +
         "\n" + body + "\n";
}

const std::string kCore =
    R"({"v":1,"uid":"u","run":0,"attempt":1,"state":"final","measuring":true,"steps":5,)"
    R"("verdict":"Passed","reason":"AllGatesMet","message":"m","exit":0,"rest":0})";

TEST(ResultDamage, IntactCoreWithImpossibleValuesIsRefused) {
  ASSERT_TRUE(DecodeResult(Section("core", kCore)).result);
  ASSERT_FALSE(DecodeResult(Section("core", kCore)).damaged);
  const std::pair<const char*, const char*> changes[] = {
      {"\"v\":1", "\"v\":2"},
      {"\"run\":0", "\"run\":-1"},
      {"\"run\":0", "\"run\":1.5"},
      {"\"run\":0", "\"run\":18446744073709551615"},
      {"\"attempt\":1", "\"attempt\":0"},
      {"\"steps\":5", "\"steps\":-5"},
      {"\"steps\":5", "\"steps\":\"5\""},
      {"\"final\"", "\"done\""},
      {"\"measuring\":true", "\"measuring\":1"},
      {"\"Passed\"", "\"Failed\""},
      {"\"Passed\"", "\"Pass\""},
      {"\"AllGatesMet\"", "\"Stalled\""},
      {"\"exit\":0", "\"exit\":256"},
      {"\"exit\":0", "\"exit\":-1"},
      {",\"rest\":0", ""},
      {"\"rest\":0", "\"rest\":-1"},
      {"\"uid\":\"u\"", "\"uid\":5"},
      {"\"rest\":0", "\"rest\":0,\"report\":{\"frames\":-1,\"bytes\":1,\"sha256\":\"\"}"},
      {"\"rest\":0", "\"rest\":0,\"report\":{\"frames\":1,\"bytes\":1}"},
      {"\"rest\":0", "\"rest\":0,\"report\":[]"},
  };
  for (const auto& [from, to] : changes) {
    std::string body = kCore;
    body.replace(body.find(from), std::string(from).size(), to);
    EXPECT_FALSE(DecodeResult(Section("core", body)).result) << to;
  }
  for (const char* body : {"", "[]", "null", "{", "5"}) {
    EXPECT_FALSE(DecodeResult(Section("core", body)).result) << body;
  }
}

TEST(ResultDamage, SectionWithImpossibleValuesIsDroppedAlone) {
  const std::pair<const char*, const char*> sections[] = {
      {"metrics", R"([{"n":"x","s":"P99","c":-1}])"},
      {"metrics", R"([{"n":"x","s":"P99","c":1,"v":null}])"},
      {"metrics", R"([{"n":"x","s":"P99","c":1,"v":1e999}])"},
      {"metrics", R"([{"n":"x","s":"p99","c":1}])"},
      {"metrics", R"([{"n":"good","s":"P99","c":1},{"s":"P99","c":1}])"},
      {"metrics", R"({"n":"x"})"},
      {"metrics", R"([5])"},
      {"gates", R"([{"n":"x","r":"passed"}])"},
      {"gates", R"([{"r":"Passed"}])"},
      {"gates", R"([{"n":"x","r":"Passed","u":1}])"},
      {"leaks", R"([{"n":"x","r":"Found","first":-1}])"},
      {"leaks", R"([{"n":"x","r":"Found","bytes":"4"}])"},
      {"place", R"({"gpus":[5]})"},
      {"place", R"({"gpus":"GPU-1"})"},
      {"place", R"([])"},
      {"histogram", R"({"of":"x"})"},
      {"histogram", "not json"},
  };
  for (const auto& [name, body] : sections) {
    const std::string section = Section(name, body);
    std::string core = kCore;
    core.replace(core.find("\"rest\":0"), 8, "\"rest\":" + std::to_string(section.size()));
    const DecodedResult decoded = DecodeResult(Section("core", core) + section);
    ASSERT_TRUE(decoded.result) << decoded.problem;
    EXPECT_TRUE(decoded.damaged) << body;
    EXPECT_TRUE(decoded.result->metrics.empty() && decoded.result->gates.empty() &&
                decoded.result->leaks.empty())
        << "nothing of a bad section is kept: " << body;
  }
}

TEST(ResultDamage, UnknownIntactSectionOfANewerRunnerIsLetThrough) {
  const std::string section = Section("energy", "{\"joules\":5}");
  std::string core = kCore;
  core.replace(core.find("\"rest\":0"), 8, "\"rest\":" + std::to_string(section.size()));
  const DecodedResult decoded = DecodeResult(Section("core", core) + section);
  ASSERT_TRUE(decoded.result);
  EXPECT_FALSE(decoded.damaged) << decoded.problem;
}

TEST(ResultDamage, ForeignBytesNeverThrow) {
  EXPECT_FALSE(DecodeResult("").result);
  EXPECT_FALSE(DecodeResult(std::string(70'000, 'x')).result);
  for (const std::string text :
       {"ts1 ", "ts1 core", "ts1 core 5", "ts1 core 5 00000000", "ts1 core 5 00000000\n",
        "ts1 core 99999999999999999999 00000000\n{}\n", "ts1 core -1 00000000\n{}\n",
        "ts1 core 18446744073709551615 00000000\n{}\n", "\nts1 \nts1 \nts1 ", "OOM"}) {
    const DecodedResult decoded = DecodeResult(text);
    EXPECT_FALSE(decoded.result) << text;
    EXPECT_TRUE(decoded.damaged);
  }
}

}  // namespace
}  // namespace torchsoak::contract
