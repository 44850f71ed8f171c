#include "common/base/bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace torchsoak {
namespace {

std::string RandomBytes(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string out(n, '\0');
  for (char& c : out) c = static_cast<char>(random() & 0xFFU);
  return out;
}

TEST(Base64, KnownVectors) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(Base64Encode(bytes), text);
    EXPECT_EQ(Base64Decode(text).value(), bytes);
  }
}

TEST(Base64, RoundTripOfEveryLength) {
  for (std::size_t n = 0; n < 200; ++n) {
    const std::string bytes = RandomBytes(n, n);
    EXPECT_EQ(Base64Decode(Base64Encode(bytes)).value(), bytes);
  }
}

TEST(Base64, RefusesWhatItCouldNotHaveWritten) {
  for (const std::string text : {"Zg", "Zg=", "Zg==Zg==", "Zh==", "Z===", "====", "Zm9v\n", " Zm9",
                                 "Zm9v Zm9", "Zm-v", "Zm9_", "=m9v", "Zm=v"}) {
    const auto bytes = Base64Decode(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::kDataLoss);
  }
}

TEST(Hashes, KnownVectors) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Crc32Hex("123456789"), "cbf43926");
  EXPECT_EQ(Crc32Hex(""), "00000000");
}

TEST(Gzip, RoundTripAndEqualInputGivesEqualBytes) {
  for (const std::size_t n : {0U, 1U, 65535U, 65536U, 300'000U}) {
    const std::string bytes = RandomBytes(n, n);
    const std::string gz = Gzip(bytes);
    EXPECT_EQ(gz, Gzip(bytes));
    EXPECT_EQ(gz.substr(4, 4), std::string(4, '\0')) << "no time stamp";
    EXPECT_EQ(Gunzip(gz, n).value(), bytes);
  }
}

TEST(Gzip, StopsAtTheLimit) {
  const std::string gz = Gzip(std::string(10'000'000, 'a'));
  EXPECT_LT(gz.size(), 20'000U);
  const auto out = Gunzip(gz, 1'000'000);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().code, ErrorCode::kTooLarge);
}

TEST(Gzip, EveryCutIsSeen) {
  const std::string gz = Gzip("torchsoak torchsoak torchsoak");
  for (std::size_t n = 0; n < gz.size(); ++n) {
    const auto out = Gunzip(gz.substr(0, n), 1000);
    ASSERT_FALSE(out) << n;
    EXPECT_EQ(out.error().code, ErrorCode::kDataLoss);
  }
  EXPECT_FALSE(Gunzip(gz + "x", 1000)) << "something behind the end";
  EXPECT_FALSE(Gunzip("not gzip at all", 1000));
}

TEST(Gzip, FlippedBitsOfTheContentAreSeen) {
  const std::string gz = Gzip(RandomBytes(500, 3));
  for (std::size_t at = 10; at < gz.size(); ++at) {  // the header has bytes without meaning
    std::string bad = gz;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(Gunzip(bad, 100'000)) << at;
  }
}

}  // namespace
}  // namespace torchsoak
