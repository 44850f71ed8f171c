#include "common/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace torchsoak {
namespace {

TEST(Text, CutsBetweenCharacters) {
  const std::string text = "aä€😀b";  // 1 + 2 + 3 + 4 + 1 bytes
  const std::size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t n = 0; n < std::size(expected); ++n) {
    EXPECT_EQ(Utf8Prefix(text, n).size(), expected[n]) << n;
  }
  EXPECT_EQ(Utf8Prefix(std::string(10, '\x80'), 5).size(), 2U) << "foreign bytes do not run away";
}

TEST(Text, ShortenSaysThatItDid) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcdef", 5), "ab...");
  EXPECT_EQ(Shorten("abcdef", 2), "ab");
  EXPECT_EQ(Shorten("abcdef", 0), "");
}

TEST(Text, FindsTheFirstBadByte) {
  EXPECT_EQ(FirstBadUtf8("aä€😀"), 10U);
  EXPECT_EQ(FirstBadUtf8(""), 0U);
  const std::string bad[] = {
      "\x80",         "\xC0\x80",         "\xC1\xBF",         "\xE0\x80\x80",
      "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
      "\xFF",         "\xE2\x82",         "\xF0\x9F\x98",     "\xC3"};
  for (const std::string& bytes : bad) EXPECT_EQ(FirstBadUtf8("ab" + bytes + "c"), 2U);
  EXPECT_EQ(FirstBadUtf8("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"), 10U) << "the edges are good";
}

TEST(Text, QuoteIsSafeToPrint) {
  EXPECT_EQ(Quote("a b"), "\"a b\"");
  EXPECT_EQ(Quote("a\nb\x1b[31m\x80ä"), "\"a?b?[31m?ä\"");
  EXPECT_EQ(Quote(std::string(1000, 'x')).size(), 66U);
}

TEST(Text, NearestKnownWord) {
  const std::vector<std::string> words = {"batchSize", "epochs", "precision", "optimizer"};
  EXPECT_EQ(Nearest("batchsize", words), "batchSize");
  EXPECT_EQ(Nearest("batch_size", words), "batchSize");
  EXPECT_EQ(Nearest("epoch", words), "epochs");
  EXPECT_EQ(Nearest("colour", words), "");
  EXPECT_EQ(Nearest(std::string(500, 'a'), words), "");
  EXPECT_EQ(Nearest("", words), "");
}

}  // namespace
}  // namespace torchsoak
