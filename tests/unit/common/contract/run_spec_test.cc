#include <gtest/gtest.h>

#include <string>

#include "common/contract/spec.h"

namespace torchsoak::contract {
namespace {

RunSpec Sample() {
  return {"team-a", "bert-soak", "8f5a0c1e", 2, 3, "3f2a9c1", Json{{"mode", "Training"}}};
}

TEST(RunSpec, RoundTrip) {
  const auto text = EncodeRunSpec(Sample());
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find('\n'), std::string::npos);
  const auto back = DecodeRunSpec(*text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->ns, "team-a");
  EXPECT_EQ(back->test, "bert-soak");
  EXPECT_EQ(back->uid, "8f5a0c1e");
  EXPECT_EQ(back->run, 2);
  EXPECT_EQ(back->attempt, 3);
  EXPECT_EQ(back->source_revision, "3f2a9c1");
  EXPECT_EQ(back->spec, Sample().spec);
}

TEST(RunSpec, TooLargeSaysWhatToDo) {
  RunSpec run = Sample();
  run.spec["pod"] = std::string(33'000, 'x');
  const auto text = EncodeRunSpec(run);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kTooLarge);
  EXPECT_NE(text.error().message.find("spec.pod"), std::string::npos);
}

TEST(RunSpec, ForeignTextIsRefused) {
  for (const std::string text :
       {"", "{}", "[]", "{\"v\":2}", "{\"v\":1}", "{\"v\":1,\"spec\":{},\"run\":-1,\"attempt\":1}",
        "{\"v\":1,\"spec\":{},\"run\":0,\"attempt\":0}",
        "{\"v\":1,\"spec\":[],\"run\":0,\"attempt\":1}"}) {
    EXPECT_FALSE(DecodeRunSpec(text)) << text;
  }
  EXPECT_FALSE(DecodeRunSpec(std::string(40'000, ' ')));
}

}  // namespace
}  // namespace torchsoak::contract
