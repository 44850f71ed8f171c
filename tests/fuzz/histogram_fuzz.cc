// The first byte says what the rest is: packed text, what is inside of packed text, or samples.

#include <zlib.h>

#include <cstring>
#include <string>

#include "common/base/bytes.h"
#include "common/contract/histogram.h"
#include "tests/fuzz/fuzz.h"

using torchsoak::contract::Histogram;
using torchsoak::fuzz::Require;

namespace {

std::string Pack(std::string_view raw) {
  uLongf size = compressBound(raw.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
           raw.size());
  out.resize(size);
  return torchsoak::Base64Encode(out);
}

void ReadPacked(std::string_view text) {
  const auto histogram = Histogram::Unpack(text);
  if (!histogram) return;
  Require(histogram->count() >= 0 && histogram->clamped() <= histogram->count(),
          "counts are possible");
  Require(histogram->min() >= 0 && histogram->min() <= histogram->max(), "the range is a range");
  for (const double q : {0.0, 0.5, 0.99, 1.0}) {
    Require(histogram->ValueAt(q) >= 0 && histogram->ValueAt(q) <= histogram->max(),
            "quantiles are in range");
  }
  const auto again = Histogram::Unpack(histogram->Pack());
  Require(again && again->Buckets() == histogram->Buckets(), "packing again changes nothing");
}

void RecordAndBack(std::string_view bytes) {
  Histogram histogram;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::int64_t value = 0;
    std::memcpy(&value, bytes.data(), 8);
    histogram.Record(value >> (static_cast<unsigned char>(bytes[0]) % 64));
  }
  const auto back = Histogram::Unpack(histogram.Pack());
  Require(back && back->count() == histogram.count() && back->min() == histogram.min() &&
              back->max() == histogram.max() && back->Mean() == histogram.Mean() &&
              back->clamped() == histogram.clamped(),
          "what is packed comes back");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = torchsoak::fuzz::Text(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      ReadPacked(text);
      break;
    case 1:
      ReadPacked(Pack(text));
      break;
    default:
      RecordAndBack(text);
      break;
  }
  return 0;
}
