#include "common/base/duration.h"
#include "tests/fuzz/fuzz.h"

using torchsoak::fuzz::Require;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto duration = torchsoak::ParseDuration(torchsoak::fuzz::Text(data, size));
  if (!duration) {
    Require(duration.error().code == torchsoak::ErrorCode::kInvalid, "a bad duration is kInvalid");
    Require(duration.error().message.size() < 300, "messages are short");
    return 0;
  }
  Require(duration->count() > 0 && *duration <= torchsoak::kMaxDuration, "durations are in range");
  const auto again = torchsoak::ParseDuration(torchsoak::FormatDuration(*duration));
  Require(again && *again == *duration, "what is formatted is read back");
  return 0;
}
