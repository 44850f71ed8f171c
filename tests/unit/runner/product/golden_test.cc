#include "runner/product/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace torchsoak::runner {
namespace {

using State = Golden::State;
using testing::HasSubstr;

constexpr Fingerprint kRight{1, 2};
constexpr Fingerprint kOther{3, 4};
constexpr Fingerprint kThird{5, 6};

Passes Device(const std::string& name, const std::array<Fingerprint, kPasses>& prints,
              const std::string& model = "H200") {
  Passes device{name, model, {}};
  for (std::size_t i = 0; i < kPasses; ++i) device.passes[i].print = prints[i];
  return device;
}

Passes Right(const std::string& name) { return Device(name, {kRight, kRight, kRight}); }

TEST(Golden, AgreedWhenThreeProductsAndTheReferenceAgree) {
  const auto golden = ChooseGolden({Right("cpu")});
  ASSERT_EQ(golden.size(), 1U);
  EXPECT_EQ(golden[0].state, State::kAgreed);
  EXPECT_TRUE(golden[0].pass);
  EXPECT_EQ(golden[0].detail, "");
}

TEST(Golden, TheOneThatIsUnlikeTheOthersIsWrong) {
  for (std::size_t odd = 0; odd < kPasses; ++odd) {
    Passes device = Right("cuda:0");
    device.passes[odd].print = kOther;
    const auto golden = ChooseGolden({device});
    EXPECT_EQ(golden[0].state, State::kWrong) << odd;
    ASSERT_TRUE(golden[0].pass) << odd;
    EXPECT_EQ(device.passes[*golden[0].pass].print, kRight) << odd;
    EXPECT_THAT(golden[0].detail, HasSubstr("cuda:0"));
  }
}

TEST(Golden, ThreeThatDifferAndFitDoNotRepeat) {
  const auto golden = ChooseGolden({Device("cuda:0", {kRight, kOther, kThird})});
  EXPECT_EQ(golden[0].state, State::kNotRepeatable);
  EXPECT_FALSE(golden[0].pass);
  EXPECT_THAT(golden[0].detail, HasSubstr("does not repeat itself"));
}

TEST(Golden, AgreementOnAWrongProductIsNoProof) {
  Passes device = Right("cuda:1");
  for (auto& pass : device.passes) pass.fault = "sum of row 3 of the product is 1, not 2";
  const auto golden = ChooseGolden({device});
  EXPECT_EQ(golden[0].state, State::kWrong);
  EXPECT_FALSE(golden[0].pass);
  EXPECT_THAT(golden[0].detail, HasSubstr("cuda:1: every time sum of row 3"));
}

TEST(Golden, AFaultInOnePassLeavesTheTwoOthers) {
  for (std::size_t odd = 0; odd < kPasses; ++odd) {
    Passes device = Right("cuda:1");
    device.passes[odd] = {kOther, "sum of row 3 of the product is 1, not 2"};
    const auto golden = ChooseGolden({device});
    EXPECT_EQ(golden[0].state, State::kWrong);
    ASSERT_TRUE(golden[0].pass) << odd;
    EXPECT_FALSE(device.passes[*golden[0].pass].fault) << odd;
  }
}

TEST(Golden, AFaultAmongThreeThatDifferLeavesNothing) {
  Passes device = Device("cuda:1", {kRight, kOther, kThird});
  device.passes[1].fault = "sum of row 3 of the product is 1, not 2";
  const auto golden = ChooseGolden({device});
  EXPECT_EQ(golden[0].state, State::kWrong);
  EXPECT_FALSE(golden[0].pass);
}

TEST(Golden, TheDeviceThatIsUnlikeItsPeersIsNamed) {
  const auto golden =
      ChooseGolden({Right("cuda:0"), Device("cuda:1", {kOther, kOther, kOther}), Right("cuda:2")});
  EXPECT_EQ(golden[0].state, State::kAgreed);
  EXPECT_EQ(golden[1].state, State::kWrong);
  EXPECT_THAT(golden[1].detail, HasSubstr("cuda:1"));
  EXPECT_EQ(golden[2].state, State::kAgreed);
}

TEST(Golden, OfTwoThatDisagreeNeitherIsTrusted) {
  const auto golden = ChooseGolden({Right("cuda:0"), Device("cuda:1", {kOther, kOther, kOther})});
  for (const Golden& one : golden) {
    EXPECT_EQ(one.state, State::kWrong);
    EXPECT_THAT(one.detail, HasSubstr("do not agree"));
  }
}

TEST(Golden, OtherModelsMayHaveOtherBits) {
  const auto golden =
      ChooseGolden({Right("cuda:0"), Device("cuda:1", {kOther, kOther, kOther}, "A100")});
  for (const Golden& one : golden) EXPECT_EQ(one.state, State::kAgreed);
}

TEST(Golden, FingerprintsReadTheSameEverywhere) {
  EXPECT_EQ(ToString(Fingerprint{0x1a, ~std::uint64_t{0}}), "000000000000001a-ffffffffffffffff");
}

}  // namespace
}  // namespace torchsoak::runner
