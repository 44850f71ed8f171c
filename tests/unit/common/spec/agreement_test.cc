// The contract's C++ tables and the CRD say the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/base/duration.h"
#include "common/contract/metrics.h"
#include "common/contract/names.h"
#include "common/contract/result.h"
#include "common/contract/spec.h"
#include "common/contract/verdict.h"
#include "common/spec/crd.h"
#include "common/spec/load.h"
#include "common/spec/twins.h"
#include "tests/unit/common/spec/schema_walk.h"

namespace torchsoak::spec {
namespace {

using Words = std::set<std::string>;

const Json& SchemaAt(const std::string& wanted) {
  const Json* found = nullptr;
  ForEachSchema([&](const std::string& path, const Json& schema) {
    if (path == wanted) found = &schema;
  });
  static const Json none;
  EXPECT_NE(found, nullptr) << wanted;
  return found == nullptr ? none : *found;
}

Words EnumAt(const std::string& path) { return SchemaAt(path).at("enum").get<Words>(); }

template <typename E>
Words WordsOf(int count) {
  Words words;
  for (int i = 0; i < count; ++i) words.insert(std::string(ToString(static_cast<E>(i))));
  return words;
}

TEST(Agreement, Names) {
  EXPECT_EQ(GetString(Crd(), {"spec", "group"}), contract::kGroup);
  EXPECT_EQ(GetString(Crd(), {"spec", "names", "kind"}), contract::kKind);
  EXPECT_EQ(GetString(Crd(), {"spec", "names", "plural"}), contract::kPlural);
  EXPECT_EQ(GetString(Crd().at("spec").at("versions").at(0), {"name"}), contract::kVersionName);
}

TEST(Agreement, Metrics) {
  Words metrics;
  for (const contract::MetricInfo& metric : contract::AllMetrics())
    metrics.insert(std::string(metric.name));
  EXPECT_EQ(EnumAt("spec.thresholds[].metric"), metrics);
  EXPECT_EQ(EnumAt("spec.thresholds[].statistic"), WordsOf<contract::Statistic>(11));
}

/// Whether the CRD's rules let a threshold like this through.
bool RulesAllow(const Json& threshold) {
  const RuleInput in{threshold, Json(), Json()};
  return twins::TimeBound(in) && twins::MemoryBound(in) && twins::RateBound(in) &&
         twins::ComputingBound(in) && twins::BandwidthBound(in) && twins::ErrorRateBound(in) &&
         twins::LossBound(in) && twins::StatisticFits(in);
}

TEST(Agreement, StatisticsOfEachMetric) {
  for (const contract::MetricInfo& metric : contract::AllMetrics()) {
    for (int i = 0; i < 11; ++i) {
      const auto statistic = static_cast<contract::Statistic>(i);
      const bool listed = std::find(metric.statistics.begin(), metric.statistics.end(),
                                    statistic) != metric.statistics.end();
      const Json threshold = {{"metric", metric.name}, {"statistic", ToString(statistic)}};
      EXPECT_EQ(RulesAllow(threshold), listed) << threshold;
    }
  }
}

TEST(Agreement, UnitsOfBounds) {
  const char* bounds[] = {
      "1",        "-1",         "1.5",      "1ns",      "1us",     "1ms",     "1s", "1m",   "1h",
      "1MFLOP/s", "1.5GFLOP/s", "2TFLOP/s", "1PFLOP/s", "1FLOP/s", "1TFLOPS", "1B", "1KiB", "1MiB",
      "1GiB",     "1TiB",       "1/s",      "1%",       "-1s",     "-1%",     "1d", "1GB",  "1MB/s",
      "1.5GB/s",  "2TB/s",      "1PB/s",    "1B/s",     "1 s",     "",        "s",  ".5",   "1e3"};
  for (const contract::MetricInfo& metric : contract::AllMetrics()) {
    for (const char* bound : bounds) {
      const Json threshold = {{"metric", metric.name}, {"max", bound}};
      EXPECT_EQ(RulesAllow(threshold), ParseValue(bound, metric.unit).has_value()) << threshold;
    }
  }
}

TEST(Agreement, MetricsOfEachMode) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    for (const contract::MetricInfo& metric : contract::AllMetrics()) {
      const Json spec = {{"mode", mode.name}, {"thresholds", {{{"metric", metric.name}}}}};
      EXPECT_EQ(twins::MetricsFitMode({spec, Json(), Json()}),
                contract::Measures(mode.mode, metric.name))
          << spec;
    }
  }
}

TEST(Agreement, VerdictsAndResults) {
  const Words verdicts = WordsOf<contract::Verdict>(5);
  EXPECT_EQ(EnumAt("status.verdict"), verdicts);
  EXPECT_EQ(EnumAt("status.runs[].verdict"), verdicts);
  EXPECT_EQ(EnumAt("status.thresholds[].result"), WordsOf<contract::GateResult>(5));
  EXPECT_EQ(EnumAt("status.leaks[].result"), WordsOf<contract::LeakResult>(4));
  const auto most = static_cast<std::size_t>(SchemaAt("status.reason").at("maxLength").get<int>());
  for (int i = 0; i <= static_cast<int>(contract::Reason::kAborted); ++i) {
    EXPECT_LE(ToString(static_cast<contract::Reason>(i)).size(), most);
  }
}

TEST(Agreement, Modes) {
  Words modes;
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    modes.insert(std::string(mode.name));
    SchemaAt("spec." + std::string(mode.member));
    EXPECT_EQ(contract::HasSteps(mode.mode), contract::FindMetric(mode.step_time) != nullptr);
    EXPECT_EQ(mode.headline.empty(), contract::FindMetric(mode.headline) == nullptr);
  }
  EXPECT_EQ(EnumAt("spec.mode"), modes);
}

// One rule a mode, with its twin: without it a member of another mode would be accepted and
// ignored.
TEST(Agreement, AMemberIsThereExactlyInItsMode) {
  const Json& rules = SchemaAt("spec").at("x-kubernetes-validations");
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    const std::string text = "has(self." + std::string(mode.member) + ") == (self.mode == '" +
                             std::string(mode.name) + "')";
    EXPECT_TRUE(std::ranges::any_of(rules, [&](const Json& rule) {
      return GetString(rule, {"rule"}) == text;
    })) << text;
  }
}

/// Reads a spec of each mode that is valid but for `path`, which holds each word of its enum in
/// turn.
void ExpectEveryWordIsRead(Json spec, const std::string& path) {
  for (const std::string& word : EnumAt(path)) {
    std::string pointer = path.substr(std::string("spec").size());
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    spec[Json::json_pointer(pointer)] = word;
    const auto read = contract::ParseSpec(spec);
    EXPECT_TRUE(read) << path << ": " << word << ": " << (read ? "" : read.error().message);
  }
}

TEST(Agreement, EveryWordOfTheCrdIsRead) {
  const Json training = {{"mode", "Training"}, {"training", {{"amp", false}}}};
  for (const char* path :
       {"spec.training.model.builtin", "spec.training.precision", "spec.training.optimizer"}) {
    ExpectEveryWordIsRead(training, path);
  }
  for (const std::string& word : EnumAt("spec.training.checks[]")) {
    EXPECT_TRUE(contract::ParseSpec({{"mode", "Training"}, {"training", {{"checks", {word}}}}}));
  }
}

// The rules of the CRD about params, and the list that the parser reads by.
TEST(Agreement, SizesOfModels) {
  const Json& params = SchemaAt("spec.training.model.params").at("properties");
  EXPECT_EQ(params.size(), contract::AllSizes().size() + 1) << "and dropout";
  for (const auto& [name, model] : contract::AllBuiltins()) {
    for (const contract::ModelSize& size : contract::AllSizes()) {
      const Json& schema = params.at(size.name);
      EXPECT_EQ(schema.at("minimum"), size.low) << size.name;
      EXPECT_EQ(schema.at("maximum"), size.high) << size.name;
      const std::int64_t usual = contract::UsualSizes(model).*size.member;
      Json object = {{"apiVersion", "torchsoak.dev/v1alpha1"},
                     {"kind", "StressTest"},
                     {"metadata", {{"name", "a"}}},
                     {"spec", {{"mode", "Training"}, {"training", Json::object()}}}};
      object["spec"]["training"]["model"] = {{"builtin", name}, {"params", {{size.name, usual}}}};
      const auto valid = ValidateStressTest(object);
      EXPECT_EQ(valid.has_value(), contract::HasSize(model, size.name)) << name << size.name;
      if (!valid) continue;
      const auto read = contract::ParseSpec(valid->at("spec"));
      ASSERT_TRUE(read);
      EXPECT_EQ(read->training.model, contract::UsualSizes(model)) << name << size.name;
    }
  }
}

TEST(Agreement, Phases) {
  EXPECT_EQ(EnumAt("status.phase"),
            (Words{"Pending", "Suspended", "Queued", "Starting", "Running", "Finished"}));
}

TEST(Agreement, ImmutableIsWhatAModeMeasures) {
  for (const contract::ModeInfo& mode : contract::AllModes()) {
    const Json* rules =
        Find(SchemaAt("spec." + std::string(mode.member)), {"x-kubernetes-validations"});
    ASSERT_NE(rules, nullptr) << mode.name;
    EXPECT_TRUE(std::any_of(rules->begin(), rules->end(), [](const Json& rule) {
      return GetString(rule, {"rule"}) == "self == oldSelf";
    })) << mode.name;
  }
}

// Report D04: whatever the schema accepts, the one parser reads; whatever it refuses is refused.
TEST(Agreement, DurationsOfSchemaAndParser) {
  Json object = {{"apiVersion", "torchsoak.dev/v1alpha1"},
                 {"kind", "StressTest"},
                 {"metadata", {{"name", "a"}}},
                 {"spec", {{"mode", "Training"}, {"training", Json::object()}}}};
  for (const char* text :
       {"1h30m", "0.5s", "720h", "720h1ms", "721h", "0s", "0.0h", "2d", "5400", "1e3s", "300ms",
        "0.0001ms", "0.0000001ms", "719h59m60s", "719h59m61s"}) {
    object["spec"]["duration"] = text;
    EXPECT_EQ(ValidateStressTest(object).has_value(), ParseDuration(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace torchsoak::spec
