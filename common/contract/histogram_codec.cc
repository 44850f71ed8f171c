// Histogram::Pack and Unpack: base64(deflate(head, then (gap, count) of each coarse bucket in
// use)).
//
// head: version byte, then as variable-length integers count, clamped, min, max - min, then sum and
// sum of squares as the bits of a double, low byte first.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "common/base/bytes.h"
#include "common/contract/histogram.h"
#include "common/contract/histogram_layout.h"

namespace torchsoak::contract {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kMaxPacked = 16U << 10U;
constexpr std::size_t kMaxUnpacked = 64U << 10U;

using Fine = BucketLayout<11>;
using Coarse = BucketLayout<7>;  // 64 steps to a doubling: at most 1/64 = 1.6 % wide

void PutVarint(std::string& out, std::int64_t value) {
  auto rest = static_cast<std::uint64_t>(value);
  for (; rest >= 0x80; rest >>= 7U) out += static_cast<char>(rest | 0x80U);
  out += static_cast<char>(rest);
}

void PutDouble(std::string& out, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8U) out += static_cast<char>(bits & 0xFFU);
}

/// Reads what Put… wrote; once something is wrong, everything is.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return rest_.empty(); }

  std::uint8_t Byte() {
    if (rest_.empty()) {
      ok_ = false;
      return 0;
    }
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  /// Up to 2^63 - 1.
  std::int64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return static_cast<std::int64_t>(value);
    }
    ok_ = false;
    return 0;
  }

  /// Finite and not negative.
  double Sum() {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(Byte()) << (8 * i);
    const double value = std::bit_cast<double>(bits);
    ok_ = ok_ && std::isfinite(value) && value >= 0;
    return value;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::string Deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

std::optional<std::string> Inflate(std::string_view bytes) {
  uLongf size = kMaxUnpacked;
  uLong used = bytes.size();
  std::string out(size, '\0');
  const int rc = uncompress2(reinterpret_cast<Bytef*>(out.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), &used);
  if (rc != Z_OK || used != bytes.size()) return std::nullopt;
  out.resize(size);
  return out;
}

tl::unexpected<Error> Damaged() { return Fail(ErrorCode::kDataLoss, "damaged histogram"); }

}  // namespace

std::string Histogram::Pack() const {
  std::string raw(1, kVersion);
  PutVarint(raw, count_);
  PutVarint(raw, clamped_);
  PutVarint(raw, min_);
  PutVarint(raw, max_ - min_);
  PutDouble(raw, sum_);
  PutDouble(raw, sum_of_squares_);
  std::size_t last = 0;
  std::int64_t pending = 0;
  const auto flush = [&](std::size_t next) {
    if (pending > 0) PutVarint(raw, pending);
    pending = 0;
    PutVarint(raw, static_cast<std::int64_t>(next - last));
    last = next;
  };
  bool first = true;
  for (const auto& [highest, count] : Buckets()) {
    const std::size_t index = Coarse::IndexOf(std::min(highest, kMaxLatency));
    if (first || index != last) flush(index);
    first = false;
    pending += count;
  }
  if (pending > 0) PutVarint(raw, pending);
  return Base64Encode(Deflate(raw));
}

Expected<Histogram> Histogram::Unpack(std::string_view text) {
  if (text.size() > kMaxPacked) return Damaged();
  const auto bytes = Base64Decode(text);
  if (!bytes) return Damaged();
  const auto raw = Inflate(*bytes);
  if (!raw) return Damaged();
  ByteReader reader(*raw);
  if (reader.Byte() != kVersion) return Damaged();
  Histogram out;
  out.count_ = reader.Varint();
  out.clamped_ = reader.Varint();
  out.min_ = reader.Varint();
  const std::int64_t spread = reader.Varint();
  if (spread > std::numeric_limits<std::int64_t>::max() - out.min_) return Damaged();
  out.max_ = out.min_ + spread;
  out.sum_ = reader.Sum();
  out.sum_of_squares_ = reader.Sum();
  if (!reader.ok() || out.clamped_ > out.count_) return Damaged();
  const std::size_t last_index = Coarse::IndexOf(kMaxLatency);
  std::size_t index = 0;
  std::int64_t left = out.count_;
  for (bool first = true; reader.ok() && !reader.done(); first = false) {
    const std::int64_t gap = reader.Varint();
    const std::int64_t count = reader.Varint();
    if ((gap == 0 && !first) || gap > static_cast<std::int64_t>(last_index - index))
      return Damaged();
    if (count < 1 || count > left) return Damaged();
    index += static_cast<std::size_t>(gap);
    left -= count;
    out.counts_[Fine::IndexOf(std::min(Coarse::HighestOf(index), kMaxLatency))] += count;
  }
  if (!reader.ok() || left != 0) return Damaged();
  return out;
}

}  // namespace torchsoak::contract
