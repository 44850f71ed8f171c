#include "runner/pattern/device_region.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace torchsoak::runner {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(DeviceRegion, ItsSlotsMakeUpBothHalves) {
  const auto region = MakeDeviceRegion(8 * kMiB, "cpu");
  EXPECT_EQ(region->slots(), 2);
  EXPECT_EQ(region->slot_bytes(), 2 * kMiB);
  EXPECT_EQ(region->bytes(), 8 * kMiB);
}

TEST(DeviceRegion, AnOddSizeIsRoundedDown) {
  const auto region = MakeDeviceRegion(8 * kMiB + 37, "cpu");
  EXPECT_EQ(region->bytes(), 8 * kMiB + 32);
  EXPECT_EQ(region->bytes(), 2 * region->slots() * region->slot_bytes());
}

TEST(DeviceRegion, HoldsEveryContentUntilTheNext) {
  const auto region = MakeDeviceRegion(12 * kMiB, "cpu");
  for (std::int64_t pass = 0; pass < 14; ++pass) {
    const Content content = Content::Of(pass, 42);
    for (std::int64_t slot = 0; slot < region->slots(); ++slot) {
      region->Write(slot, content);
      region->Copy(slot);
    }
    for (std::int64_t slot = 0; slot < region->slots(); ++slot) {
      EXPECT_EQ(region->Fault(slot, content), std::nullopt) << pass;
      EXPECT_NE(region->Fault(slot, Content::Of(pass + 1, 42)), std::nullopt) << pass;
    }
  }
}

// The device's words, made of LibTorch's signed whole numbers, are those of WordAt: a wrong one
// says what was expected.
TEST(DeviceRegion, ExpectsTheWordsOfThePattern) {
  const auto region = MakeDeviceRegion(8 * kMiB, "cpu");
  region->Write(1, {Pattern::kZeros, 0});
  region->Copy(1);
  for (const std::int64_t pass : {1, 2, 3, 10, 5, 11}) {
    const Content content = Content::Of(pass, 17);
    const auto fault = region->Fault(1, content);
    ASSERT_TRUE(fault);
    const std::int64_t first = region->slot_bytes() / 8;  // of slot 1, in the first half
    char expected[96];
    std::snprintf(expected, sizeof expected,
                  "word %lld of the first half is 0x0000000000000000, not 0x%016llx",
                  static_cast<long long>(first),
                  static_cast<unsigned long long>(WordAt(content, first)));
    EXPECT_THAT(*fault, HasSubstr(expected));
    EXPECT_THAT(*fault, StartsWith(std::to_string(2 * region->slot_bytes() / 8) + " words"));
  }
}

TEST(DeviceRegion, OneFlippedBitIsFoundAndPlaced) {
  const auto region = MakeDeviceRegion(8 * kMiB, "cpu");
  const Content content = Content::Of(2, 0);
  region->Write(0, content);
  region->Copy(0);
  region->FlipOneBit(0);
  const auto fault = region->Fault(0, content);
  ASSERT_TRUE(fault);
  EXPECT_THAT(*fault, StartsWith("1 word of pattern AA came back otherwise; read again, word "));
  EXPECT_THAT(*fault,
              HasSubstr("of the second half is 0xaaaaaaaaaaa8aaaa, not 0xaaaaaaaaaaaaaaaa"));
}

TEST(DeviceRegion, TheSamePlaceOfBothHalvesHoldsDifferentAddresses) {
  const auto region = MakeDeviceRegion(8 * kMiB, "cpu");
  const Content content = Content::Of(4, 0);
  for (std::int64_t slot = 0; slot < 2; ++slot) region->Write(slot, content);
  region->Copy(0);  // into slice 1 of the second half
  EXPECT_EQ(region->Fault(0, content), std::nullopt);
  EXPECT_NE(region->Fault(1, content), std::nullopt);  // its second half is still empty
}

TEST(DeviceRegion, ACpuNeedsASize) {
  EXPECT_THROW(MakeDeviceRegion(std::nullopt, "cpu"), std::invalid_argument);
}

}  // namespace
}  // namespace torchsoak::runner
