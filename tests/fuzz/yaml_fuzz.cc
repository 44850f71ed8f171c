#include <string>

#include "common/base/text.h"
#include "common/contract/spec.h"
#include "common/spec/load.h"
#include "tests/fuzz/fuzz.h"

using namespace torchsoak::spec;
using torchsoak::fuzz::Require;

namespace {

const torchsoak::Json& Stored() {
  static const torchsoak::Json stored = *LoadStressTest(
      "apiVersion: torchsoak.dev/v1alpha1\nkind: StressTest\nmetadata: {name: a}\n"
      "spec: {mode: Training, training: {}, abort: true, thresholds: [{name: a, metric: "
      "training.loss, max: '1'}]}\n");
  return stored;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Loaded loaded = LoadStressTest(torchsoak::fuzz::Text(data, size));
  if (!loaded) {
    Require(!loaded.error().empty() && loaded.error().size() <= 64,
            "a refusal says why, not at any length");
    for (const FieldError& error : loaded.error()) {
      Require(!error.message.empty() && error.message.size() < 2000,
              "messages are there and short");
      Require(error.line >= 0, "lines count from 1");
    }
    Describe("file.yaml", loaded.error());
    return 0;
  }
  Require(torchsoak::contract::ParseSpec(loaded->at("spec")).has_value(),
          "what is accepted can be read");
  const Loaded again = ValidateStressTest(*loaded);
  Require(again && *again == *loaded, "what is accepted is accepted again, unchanged");
  Require(ValidateUpdate(*loaded, *loaded).has_value(), "no change is always allowed");
  torchsoak::Json finished = *loaded;
  finished["status"] = {{"phase", "Finished"}, {"verdict", "Passed"}};
  Require(!ValidateUpdate(finished, *loaded), "a Finished test stays Finished");
  ValidateUpdate(Stored(), *loaded).has_value();
  return 0;
}
