#include "common/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace torchsoak {
namespace {

struct Shown {
  double value;
  Unit unit;
  const char* text;
};

TEST(FormatValue, FourDigitsWithTheFittingUnit) {
  const Shown cases[] = {
      {0.0213, Unit::kSeconds, "21.3ms"},
      {0.1714, Unit::kSeconds, "171.4ms"},
      {0.13, Unit::kSeconds, "130ms"},
      {0, Unit::kSeconds, "0s"},
      {3.5e-8, Unit::kSeconds, "35ns"},
      {4.25e-6, Unit::kSeconds, "4.25us"},
      {12.5, Unit::kSeconds, "12.5s"},
      {3600, Unit::kSeconds, "3600s"},
      {9000, Unit::kSeconds, "2.5h"},
      {2899102925, Unit::kBytes, "2.7GiB"},
      {512, Unit::kBytes, "512B"},
      {0, Unit::kBytes, "0B"},
      {1024, Unit::kBytes, "1KiB"},
      {1073741824.0 * 1024 * 3, Unit::kBytes, "3TiB"},
      {-2048, Unit::kBytes, "-2KiB"},
      {2480.4, Unit::kPerSecond, "2480/s"},
      {1234567.8, Unit::kPerSecond, "1234568/s"},
      {0.001, Unit::kRatio, "0.1%"},
      {1, Unit::kRatio, "100%"},
      {4.12e13, Unit::kFlopsPerSecond, "41.2TFLOP/s"},
      {6.66e10, Unit::kFlopsPerSecond, "66.6GFLOP/s"},
      {1.25e15, Unit::kFlopsPerSecond, "1.25PFLOP/s"},
      {5e5, Unit::kFlopsPerSecond, "0.5MFLOP/s"},
      {3.9e12, Unit::kBytesPerSecond, "3.9TB/s"},
      {2.34e10, Unit::kBytesPerSecond, "23.4GB/s"},
      {5e5, Unit::kBytesPerSecond, "0.5MB/s"},
      {0.6931, Unit::kNone, "0.6931"},
      {0.69314718, Unit::kNone, "0.6931"},
      {-0.0, Unit::kNone, "0"},
      {1e20, Unit::kNone, "1e+20"},
      {std::nan(""), Unit::kSeconds, "n/a"},
      {std::numeric_limits<double>::infinity(), Unit::kBytes, "n/a"},
      {-std::numeric_limits<double>::infinity(), Unit::kNone, "n/a"},
  };
  for (const Shown& c : cases) EXPECT_EQ(FormatValue(c.value, c.unit), c.text) << c.value;
}

TEST(FormatValue, MoreDigitsTellApart) {
  EXPECT_EQ(FormatValue(0.130004, Unit::kSeconds), "130ms");
  EXPECT_EQ(FormatValue(0.130004, Unit::kSeconds, 6), "130.004ms");
}

TEST(ParseValue, ReadsBoundsOfTheCrd) {
  const Shown cases[] = {
      {0.13, Unit::kSeconds, "130ms"},
      {1.5, Unit::kSeconds, "1.5s"},
      {5e-7, Unit::kSeconds, "500ns"},
      {2e-5, Unit::kSeconds, "20us"},
      {120, Unit::kSeconds, "2m"},
      {5400, Unit::kSeconds, "1.5h"},
      {2147483648, Unit::kBytes, "2GiB"},
      {536870912, Unit::kBytes, "512MiB"},
      {1, Unit::kBytes, "1B"},
      {2400, Unit::kPerSecond, "2400"},
      {2400, Unit::kPerSecond, "2400/s"},
      {0.001, Unit::kRatio, "0.1%"},
      {0.35, Unit::kNone, "0.35"},
      {-2, Unit::kNone, "-2"},
      {0, Unit::kRatio, "0%"},
  };
  for (const Shown& c : cases) {
    const auto value = ParseValue(c.text, c.unit);
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(*value, c.value) << c.text << ": the nearest double, not one beside it";
  }
}

TEST(ParseValue, RefusesAndNamesTheUnit) {
  struct Bad {
    std::string text;
    Unit unit;
    const char* hint;
  };
  const Bad cases[] = {
      {"130", Unit::kSeconds, "130ms"},
      {"2GiB", Unit::kSeconds, "130ms"},
      {"-1s", Unit::kSeconds, "130ms"},
      {"1h30m", Unit::kSeconds, "130ms"},
      {"", Unit::kSeconds, "130ms"},
      {"inf", Unit::kSeconds, "130ms"},
      {"nans", Unit::kSeconds, "130ms"},
      {"2GB", Unit::kBytes, "2GiB"},
      {"2Gi", Unit::kBytes, "2GiB"},
      {"-2GiB", Unit::kBytes, "2GiB"},
      {"2400/m", Unit::kPerSecond, "2400"},
      {"1e3", Unit::kPerSecond, "2400"},
      {"0.1", Unit::kRatio, "0.1%"},
      {"0.35%", Unit::kNone, "0.35"},
      {"nan", Unit::kNone, "0.35"},
      {".5", Unit::kNone, "0.35"},
      {"5.", Unit::kNone, "0.35"},
      {"--5", Unit::kNone, "0.35"},
      {"0x10", Unit::kNone, "0.35"},
      {" 1", Unit::kNone, "0.35"},
      {std::string(400, '9'), Unit::kNone, "0.35"},
  };
  for (const Bad& c : cases) {
    const auto value = ParseValue(c.text, c.unit);
    ASSERT_FALSE(value) << c.text;
    EXPECT_NE(value.error().message.find(c.hint), std::string::npos) << value.error().message;
  }
}

TEST(Units, WhatIsShownIsReadBackWithinFourDigits) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> exponent(-6, 11);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10, exponent(random));
    for (const Unit unit : {Unit::kSeconds, Unit::kBytes, Unit::kPerSecond}) {
      const std::string text = FormatValue(value, unit);
      if (text.find('e') != std::string::npos) continue;
      const auto back = ParseValue(text, unit);
      ASSERT_TRUE(back) << text;
      ASSERT_NEAR(*back / value, 1, 6e-4) << text;
    }
  }
}

}  // namespace
}  // namespace torchsoak
