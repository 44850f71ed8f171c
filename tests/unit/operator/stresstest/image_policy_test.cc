#include "operator/stresstest/image_policy.h"

#include <gtest/gtest.h>

#include "tests/unit/operator/stresstest/world.h"

namespace torchsoak::stresstest {
namespace {

TEST(ImageAllowed, KnowsExactNamesAndPrefixes) {
  const World world;
  EXPECT_TRUE(ImageAllowed("torchsoak/runner:1", world.settings));
  EXPECT_TRUE(ImageAllowed("registry.example/team/x:2", world.settings));
  EXPECT_TRUE(ImageAllowed("one.example/exact:1", world.settings));
  EXPECT_FALSE(ImageAllowed("one.example/exact:12", world.settings));
  EXPECT_FALSE(ImageAllowed("registry.example/teamx", world.settings));
}

}  // namespace
}  // namespace torchsoak::stresstest
