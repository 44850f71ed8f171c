#include "runner/pattern/device_region.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <stdexcept>

#include "common/base/units.h"

namespace torchsoak::runner {
namespace {

constexpr std::int64_t kWord = 8;

/// How much is worked on at a time: a slot so that a step is short (and an accelerator's long
/// enough to be timed), a chunk so that what is compared with stays in a CPU's cache.
struct Sizes {
  std::int64_t slot;   ///< bytes, in one half
  std::int64_t chunk;  ///< words
};
constexpr Sizes kCpuSizes = {std::int64_t{128} << 20, std::int64_t{256} << 10};
constexpr Sizes kAcceleratorSizes = {std::int64_t{4} << 30, std::int64_t{8} << 20};

std::int64_t Signed(std::uint64_t word) { return std::bit_cast<std::int64_t>(word); }

/// word ^ (word >> shift), as if words had no sign.
at::Tensor Fold(const at::Tensor& words, int shift) {
  const auto low = static_cast<std::int64_t>((std::uint64_t{1} << (64 - shift)) - 1);
  return words.bitwise_right_shift(shift).bitwise_and_(low).bitwise_xor_(words);
}

/// WordAt of `count` words from `first` on.
at::Tensor Words(const Content& content, std::int64_t first, std::int64_t count,
                 c10::Device device) {
  const auto options = at::TensorOptions().dtype(at::kLong).device(device);
  if (IsConstant(content.pattern)) {
    return at::full({count}, Signed(ConstantWord(content.pattern)), options);
  }
  at::Tensor words = at::arange(first, first + count, options);
  words.bitwise_xor_(Signed(content.salt));
  if (content.pattern == Pattern::kAddress) return words;
  words = Fold(words, kFirstShift).mul_(Signed(kFirstFactor));
  return Fold(words, kSecondShift).mul_(Signed(kSecondFactor));
}

std::string Hex(std::int64_t word) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(word));
  return text;
}

std::int64_t NinetyPercentFree(c10::Device device) {
  if (device.is_cpu()) throw std::invalid_argument("memory.size: a CPU run needs to be told");
  const std::size_t free = at::accelerator::getMemoryInfo(device.index()).first;
  return static_cast<std::int64_t>(free) / 10 * 9;
}

class TorchRegion final : public DeviceRegion {
 public:
  TorchRegion(std::int64_t bytes, c10::Device device)
      : device_(device), sizes_(device.is_cpu() ? kCpuSizes : kAcceleratorSizes) {
    const std::int64_t half = bytes / 2;
    slots_ = std::max<std::int64_t>(2, (half + sizes_.slot - 1) / sizes_.slot);
    words_ = half / slots_ / kWord;
    const auto options = at::TensorOptions().dtype(at::kLong).device(device);
    first_ = at::empty({slots_ * words_}, options);
    second_ = at::empty({slots_ * words_}, options);
  }

  std::int64_t bytes() const override { return 2 * slots_ * words_ * kWord; }
  std::int64_t slots() const override { return slots_; }
  std::int64_t slot_bytes() const override { return words_ * kWord; }

  void Write(std::int64_t slot, const Content& content) override {
    EachChunk([&](std::int64_t at, std::int64_t count) {
      InFirst(slot).narrow(0, at, count).copy_(Expected(slot, content, at, count));
    });
  }
  void Copy(std::int64_t slot) override { InSecond(slot).copy_(InFirst(slot)); }
  std::optional<std::string> Fault(std::int64_t slot, const Content& content) override;
  void FlipOneBit(std::int64_t slot) override {
    InSecond(slot).narrow(0, words_ / 2, 1).bitwise_xor_(std::int64_t{1} << 17);
  }

 private:
  at::Tensor InFirst(std::int64_t slot) const { return first_.narrow(0, slot * words_, words_); }
  at::Tensor InSecond(std::int64_t slot) const {
    return second_.narrow(0, (slot + 1) % slots_ * words_, words_);
  }
  at::Tensor Expected(std::int64_t slot, const Content& content, std::int64_t at,
                      std::int64_t count) const {
    return Words(content, slot * words_ + at, count, device_);
  }
  template <typename Work>
  void EachChunk(Work work) const {
    for (std::int64_t at = 0; at < words_; at += sizes_.chunk) {
      work(at, std::min(sizes_.chunk, words_ - at));
    }
  }
  std::int64_t WordsThatDiffer(std::int64_t slot, const Content& content) const;
  std::string FirstThatDiffers(std::int64_t slot, const Content& content) const;

  c10::Device device_;
  Sizes sizes_;
  std::int64_t slots_ = 0;
  std::int64_t words_ = 0;  ///< of a slot, in one half
  at::Tensor first_;
  at::Tensor second_;
};

std::int64_t TorchRegion::WordsThatDiffer(std::int64_t slot, const Content& content) const {
  at::Tensor count = at::zeros({}, at::TensorOptions().dtype(at::kLong).device(device_));
  EachChunk([&](std::int64_t at, std::int64_t size) {
    const at::Tensor expected = Expected(slot, content, at, size);
    count.add_(InFirst(slot).narrow(0, at, size).ne(expected).sum());
    count.add_(InSecond(slot).narrow(0, at, size).ne(expected).sum());
  });
  return count.item<std::int64_t>();
}

std::string TorchRegion::FirstThatDiffers(std::int64_t slot, const Content& content) const {
  std::string found;
  const auto look = [&](const char* half, const at::Tensor& slice, std::int64_t at,
                        const at::Tensor& expected) {
    if (!found.empty()) return;
    const at::Tensor where = slice.ne(expected).nonzero();
    if (where.numel() == 0) return;
    const auto index = where[0][0].item<std::int64_t>();
    const auto got = slice[index].item<std::int64_t>();
    const auto right = expected[index].item<std::int64_t>();
    found = "word " + std::to_string(at + index) + " of the " + half + " half is " + Hex(got) +
            ", not " + Hex(right);
  };
  EachChunk([&](std::int64_t at, std::int64_t size) {
    const at::Tensor expected = Expected(slot, content, at, size);
    look("first", InFirst(slot).narrow(0, at, size), slot * words_ + at, expected);
    look("second", InSecond(slot).narrow(0, at, size), (slot + 1) % slots_ * words_ + at, expected);
  });
  return found;
}

std::optional<std::string> TorchRegion::Fault(std::int64_t slot, const Content& content) {
  const std::int64_t differ = WordsThatDiffer(slot, content);
  if (differ == 0) return std::nullopt;
  const std::string first = FirstThatDiffers(slot, content);
  return std::to_string(differ) + (differ == 1 ? " word" : " words") + " of pattern " +
         std::string(ToString(content.pattern)) + " came back otherwise; " +
         (first.empty() ? "read again, all are right" : "read again, " + first);
}

}  // namespace

std::unique_ptr<DeviceRegion> MakeDeviceRegion(std::optional<std::int64_t> bytes,
                                               const std::string& device) {
  const c10::Device where(device);
  return std::make_unique<TorchRegion>(bytes ? *bytes : NinetyPercentFree(where), where);
}

}  // namespace torchsoak::runner
