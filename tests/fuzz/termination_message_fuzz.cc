// The first byte says what the rest is: a message as it stands, or the body of one section, which
// gets a good checksum and a good core before it, so that the checks behind the checksum are
// reached.

#include <array>
#include <cstdio>
#include <string>

#include "common/base/bytes.h"
#include "common/base/text.h"
#include "common/contract/result.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/common/contract/sample_result.h"

using namespace torchsoak::contract;
using torchsoak::fuzz::Require;

namespace {

std::string Section(const std::string& name, std::string_view body) {
  const std::string crc = torchsoak::Crc32Hex(name + " " + std::string(body));
  return "ts1 " + name + " " + std::to_string(body.size()) + " " + crc + "\n" + std::string(body) +
         "\n";
}

std::string Message(std::uint8_t kind, std::string_view body) {
  static const std::array<std::string, 7> kNames = {"core",  "gates",     "metrics", "place",
                                                    "leaks", "histogram", "energy"};
  if (kind >= kNames.size()) return std::string(body);
  if (kind == 0) return Section("core", body);
  const std::string section = Section(kNames[kind], body);
  return Section(
             "core",
             R"({"v":1,"uid":"u","run":0,"attempt":1,"state":"final","measuring":true,"steps":5,)"
             R"("verdict":"Passed","reason":"AllGatesMet","message":"m","exit":0,"rest":)" +
                 std::to_string(section.size()) + "}") +
         section;
}

/// Whatever was believed can be said again and is then the same.
void SayAgain(const RunResult& result) {
  const EncodedResult encoded = EncodeResult(result);
  Require(encoded.message.size() <= kMaxMessageBytes, "messages fit");
  const DecodedResult again = DecodeResult(encoded.message);
  Require(again.result.has_value() && !again.damaged, "our own message is intact");
  Require(again.shed == encoded.shed, "what was left out is said");
  if (!encoded.shed) Require(Fingerprint(*again.result) == Fingerprint(result), "nothing changed");
  for (const std::size_t limit : {0U, 100U, 1000U, 1500U}) {
    Require(EncodeResult(result, limit).message.size() <= limit, "every limit is kept");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const DecodedResult decoded =
      DecodeResult(Message(data[0] % 8, torchsoak::fuzz::Text(data + 1, size - 1)));
  Require(decoded.result.has_value() || decoded.damaged, "no result has a reason");
  Require(decoded.damaged == !decoded.problem.empty(), "damage has a reason");
  if (!decoded.result) return 0;
  for (const MetricValue& metric : decoded.result->metrics) {
    Require(metric.samples >= 0 && std::isfinite(metric.value.value_or(0)), "numbers are possible");
  }
  const auto histogram = Histogram::Unpack(decoded.result->histogram);
  if (histogram)
    Require(Histogram::Unpack(histogram->Pack())->count() == histogram->count(),
            "histograms are stable");
  // Bytes that are not UTF-8 are replaced on the way out: only what is text comes back the same.
  // Dear, so not for every input.
  if (size % 8 == 0 && torchsoak::FirstBadUtf8(Fingerprint(*decoded.result)) ==
                           Fingerprint(*decoded.result).size()) {
    SayAgain(*decoded.result);
  }
  return 0;
}
