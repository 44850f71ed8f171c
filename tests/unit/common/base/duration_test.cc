#include "common/base/duration.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace torchsoak {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Good {
  const char* text;
  milliseconds value;
};

TEST(Duration, ReadsTheGrammarExactly) {
  const Good cases[] = {
      {"1h30m", minutes(90)},
      {"90m", minutes(90)},
      {"5400s", minutes(90)},
      {"1.5h", minutes(90)},
      {"300ms", milliseconds(300)},
      {"0.5s0.5s", seconds(1)},
      {"0s1ms", milliseconds(1)},
      {"720h", hours(720)},
      {"719h60m", hours(720)},
      {"2592000s", hours(720)},
      {"0.1ms", milliseconds(1)},            // rounded up
      {"1.0001s", milliseconds(1001)},       // rounded up
      {"0.3ms0.3ms0.4ms", milliseconds(1)},  // the sum is rounded, not each part
      {"00000000000000000000000000001s", seconds(1)},
      {"1.500000000000000000000000000s", milliseconds(1500)},
      {"0.000000000000000000277777777777777778h",
       milliseconds(0)},  // below a nanosecond: see Refuses
  };
  for (const Good& c : cases) {
    const auto value = ParseDuration(c.text);
    if (c.value.count() == 0) {
      EXPECT_FALSE(value) << c.text;
      continue;
    }
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(*value, c.value) << c.text;
  }
}

TEST(Duration, ToTheNanosecond) {
  EXPECT_EQ(ParseNanoseconds("1.0004s"), std::chrono::nanoseconds(1'000'400'000));
  EXPECT_EQ(ParseNanoseconds("0.0000019ms"), std::chrono::nanoseconds(1)) << "cut off, as in CEL";
  EXPECT_EQ(ParseNanoseconds("720h"), std::chrono::nanoseconds(hours(720)));
  EXPECT_FALSE(ParseNanoseconds("0.0000009ms"));
  EXPECT_FALSE(ParseNanoseconds("720h0.000001ms"));
}

// Vectors of report D04, and their neighbours.
TEST(Duration, RefusesWhatTheCrdRefuses) {
  const std::string cases[] = {"",
                               "2d",
                               "5400",
                               "PT1H",
                               "1h-30m",
                               "0s",
                               "-1m",
                               "100000h",
                               "1h 30m",
                               "1H",
                               "٣٠m",
                               " 1h",
                               "1h ",
                               "1.h",
                               ".5h",
                               "1..5h",
                               "1.5.5h",
                               "h",
                               "ms",
                               "1hm",
                               "0ms",
                               "0.0h",
                               "720h1ms",
                               "721h",
                               "1e3s",
                               "1,5h",
                               "+1h",
                               "1M",
                               "1us",
                               "1ns",
                               "0x10s",
                               "720.001h",
                               "99999999999999999999999999h",
                               "1h\n",
                               std::string("1h\0", 3),
                               "18446744073709551616ms",
                               "18446744073709551617s1ms"};
  for (const std::string& text : cases) {
    const auto value = ParseDuration(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kInvalid) << text;
    EXPECT_NE(value.error().message.find("1h30m"), std::string::npos) << "examples belong in it";
  }
}

TEST(Duration, SumOfManyPartsDoesNotOverflow) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "720h";
  EXPECT_FALSE(ParseDuration(text));
}

TEST(Duration, FormatsInWholeUnits) {
  EXPECT_EQ(FormatDuration(milliseconds(0)), "0s");
  EXPECT_EQ(FormatDuration(minutes(90)), "1h30m");
  EXPECT_EQ(FormatDuration(milliseconds(300)), "300ms");
  EXPECT_EQ(FormatDuration(milliseconds(61'001)), "1m1s1ms");
  EXPECT_EQ(FormatDuration(hours(720)), "720h");
  EXPECT_EQ(FormatDuration(milliseconds(-1500)), "-1s500ms");
  EXPECT_EQ(FormatDuration(milliseconds::min()), "-2562047788015h12m55s808ms");
}

TEST(Duration, WhatIsFormattedIsReadBack) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto ms = static_cast<std::int64_t>(random() % 2'592'000'000U) + 1;
    const auto back = ParseDuration(FormatDuration(milliseconds(ms)));
    ASSERT_TRUE(back);
    ASSERT_EQ(back->count(), ms);
  }
}

}  // namespace
}  // namespace torchsoak
