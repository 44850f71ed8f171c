#include "operator/k8s/resource.h"

#include <gtest/gtest.h>

namespace torchsoak::k8s {
namespace {

TEST(ResourceVersion, LongerNumbersAreNewer) {
  EXPECT_LT(ResourceVersion("9"), ResourceVersion("10"));
  EXPECT_LT(ResourceVersion("123"), ResourceVersion("124"));
  EXPECT_EQ(ResourceVersion("5"), ResourceVersion("5"));
  EXPECT_LT(ResourceVersion("18446744073709551615"), ResourceVersion("18446744073709551616"));
}

TEST(ResourceVersion, WhatIsNoNumberIsOldest) {
  for (const char* text : {"", "0", "007", "abc", "-1", "1e9", " 5"}) {
    EXPECT_LT(ResourceVersion(text), ResourceVersion("1")) << text;
  }
}

TEST(ResourceType, ApiVersionAndKeys) {
  EXPECT_EQ((ResourceType{"", "v1", "pods", "Pod"}.ApiVersion()), "v1");
  EXPECT_EQ((ResourceType{"batch", "v1", "jobs", "Job"}.ApiVersion()), "batch/v1");
  EXPECT_EQ((ObjectKey{"a", "b"}.ToString()), "a/b");
  EXPECT_EQ((ObjectKey{"", "b"}.ToString()), "b");
}

}  // namespace
}  // namespace torchsoak::k8s
