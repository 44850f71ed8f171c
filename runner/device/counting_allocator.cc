#include "runner/device/counting_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>

#include <array>
#include <atomic>
#include <cstring>

namespace torchsoak::runner {
namespace {

/// In front of every block; as large as LibTorch's alignment, so that the block keeps it.
struct alignas(64) Header {
  std::int64_t bytes;
  StepPart born;
};
static_assert(sizeof(Header) == 64);

std::atomic<std::int64_t> g_objects{0};
std::atomic<std::int64_t> g_bytes{0};
std::atomic<std::int64_t> g_peak{0};
std::atomic<StepPart> g_part{StepPart::kOther};
std::array<std::atomic<std::int64_t>, kStepParts> g_born{};

std::atomic<std::int64_t>& Born(const Header& header) {
  return g_born[static_cast<std::size_t>(header.born)];
}

void Count(std::int64_t bytes) {
  g_objects.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t now = g_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (now > peak && !g_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
}

void Delete(void* data) {
  if (data == nullptr) return;
  auto* header = static_cast<Header*>(data) - 1;
  g_objects.fetch_sub(1, std::memory_order_relaxed);
  Born(*header).fetch_sub(1, std::memory_order_relaxed);
  g_bytes.fetch_sub(header->bytes, std::memory_order_relaxed);
  c10::free_cpu(header);
}

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t n) override {
    // LibTorch, too, gives empty tensors no block.
    if (n == 0) return {nullptr, nullptr, &Delete, c10::Device(c10::DeviceType::CPU)};
    auto* header = static_cast<Header*>(c10::alloc_cpu(n + sizeof(Header)));  // throws when out
    header->bytes = static_cast<std::int64_t>(n);
    header->born = g_part.load(std::memory_order_relaxed);
    Born(*header).fetch_add(1, std::memory_order_relaxed);
    Count(header->bytes);
    void* data = header + 1;
    return {data, data, &Delete, c10::Device(c10::DeviceType::CPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &Delete; }

  void copy_data(void* to, const void* from, std::size_t count) const override {
    std::memcpy(to, from, count);
  }
};

/// Above LibTorch's own (0) and whatever else may register one.
constexpr std::uint8_t kPriority = 99;

}  // namespace

void InstallCountingAllocator() {
  static CountingAllocator allocator;  // LibTorch keeps the pointer until the process ends
  static const bool kInstalled = [] {
    c10::SetCPUAllocator(&allocator, kPriority);
    return true;
  }();
  (void)kInstalled;
}

AllocationCounts CpuAllocations() {
  AllocationCounts counts{g_objects.load(std::memory_order_relaxed),
                          g_bytes.load(std::memory_order_relaxed),
                          g_peak.load(std::memory_order_relaxed),
                          {}};
  for (std::size_t i = 0; i < kStepParts; ++i) {
    counts.born[i] = g_born[i].load(std::memory_order_relaxed);
  }
  return counts;
}

InStepPart::InStepPart(StepPart part) { g_part.store(part, std::memory_order_relaxed); }
InStepPart::~InStepPart() { g_part.store(StepPart::kOther, std::memory_order_relaxed); }

void ResetCpuPeak() {
  g_peak.store(g_bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

}  // namespace torchsoak::runner
