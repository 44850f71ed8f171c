#include "common/base/quantity.h"

#include <gtest/gtest.h>

#include <string>

namespace torchsoak {
namespace {

struct Good {
  const char* text;
  std::int64_t value;
};

// Vectors of report D03, and their neighbours.
TEST(Quantity, IsExactAndRoundedUp) {
  const Good cases[] = {
      {"2.7Gi", 2899102925},  // 2899102924.8
      {"1.2Gi", 1288490189},  // 1288490188.8
      {"0.5", 1},
      {"500m", 1},
      {"1Ti", 1099511627776},
      {"1e3", 1000},
      {"1E", 1'000'000'000'000'000'000},
      {"100M", 100'000'000},
      {"128974848", 128974848},
      {"1.5e9", 1'500'000'000},
      {"2899102924800m", 2899102925},  // how the server writes 2.7Gi
      {"1E3", 1000},
      {"1e+3", 1000},
      {"1500e-3", 2},
      {"+1", 1},
      {".5", 1},
      {"5.", 5},
      {"1n", 1},
      {"1u", 1},
      {"1k", 1000},
      {"7Ei", 8070450532247928832},
      {"9223372036854775807", 9223372036854775807},
      {"9223372036854775806.5", 9223372036854775807},
      {"0000000000000000000000000000000000000001Ki", 1024},
      {"0.0000000001Ti", 110},  // 109.95
      {"1e-1000", 1},
      {"0.00000000000000000000000000000001", 1},
  };
  for (const Good& c : cases) {
    const auto value = ParseQuantity(c.text);
    ASSERT_TRUE(value) << c.text << ": " << value.error().message;
    EXPECT_EQ(*value, c.value) << c.text;
  }
}

TEST(Quantity, RefusesOtherFormsAndSaysWhichSuffixesThereAre) {
  const std::string cases[] = {
      "",     "1 Gi", "1gb",   "1GiB", "-1Gi", "0",    "0Gi",   "-0",    "0.0e5",
      "Gi",   "1K",   "1ki",   "1e",   "1e+",  "1ee3", "1.2.3", "1i",    "NaN",
      "0x10", "1_0",  "1e3Gi", "1E3i", "1Gi ", " 1",   "٣Gi",   "1,5Gi", std::string(100, '1')};
  for (const std::string& text : cases) {
    const auto value = ParseQuantity(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kInvalid) << text;
    EXPECT_NE(value.error().message.find("Ki Mi Gi"), std::string::npos);
  }
}

TEST(Quantity, TooLargeIsSaidNotWrappedAround) {
  for (const char* text :
       {"16Ei", "8Ei", "7.9999999999999999999Ei", "9223372036854775808", "9223372036854775807.1",
        "10E", "1e1000", "99999999999999999999999999999999", "1e20", "1e19"}) {
    const auto value = ParseQuantity(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kTooLarge) << text;
  }
}

TEST(Quantity, MilliIsExact) {
  const Good cases[] = {{"1.5", 1500},      {"500m", 500},
                        {"2", 2000},        {"0.1", 100},
                        {"1m", 1},          {"0.0001", 1},
                        {"1u", 1},          {"1Ki", 1'024'000},
                        {"1e3", 1'000'000}, {"9223372036854775.807", 9223372036854775807}};
  for (const Good& c : cases) {
    const auto value = ParseMilliQuantity(c.text);
    ASSERT_TRUE(value) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
  }
  EXPECT_FALSE(ParseMilliQuantity("1E"));
  EXPECT_FALSE(ParseMilliQuantity("0"));
}

}  // namespace
}  // namespace torchsoak
